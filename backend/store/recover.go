package store

import (
	"context"
	"encoding/json"
	"log/slog"

	"gorm.io/gorm"

	"echo-companion/backend/echo"
)

// recover turns what a crash left of exchanges into messages: the question, the tool results, and an answer in the state
// interrupted with what had been written, perhaps nothing. In each chat the one that had begun comes first, then those that
// waited, in the order in which they were asked.
func (s *Store) recover(ctx context.Context) error {
	return s.write(ctx, "recover interrupted replies", func(tx *gorm.DB) error {
		var rows []exchangeRow
		if err := tx.Order("number IS NULL, id").Find(&rows).Error; err != nil {
			return err
		}
		for _, row := range rows {
			outcome := echo.Outcome{State: echo.StateInterrupted, Answer: row.Answer, At: moment(row.Journaled)}
			if err := json.Unmarshal([]byte(row.Tools), &outcome.Tools); err != nil {
				s.log.WarnContext(ctx, "the journal's tool calls cannot be read", "exchange", row.ID, "error", err)
			}
			if _, err := finish(tx, row, outcome); err != nil {
				return err
			}
		}
		if len(rows) > 0 {
			s.log.LogAttrs(ctx, slog.LevelInfo, "kept what was left of interrupted replies", slog.Int("exchanges", len(rows)))
		}
		return nil
	})
}
