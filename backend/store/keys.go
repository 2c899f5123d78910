package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"echo-companion/backend/echo"
)

// Key tells what was asked with a key in the last ten minutes.
func (s *Store) Key(ctx context.Context, key string) (echo.Asked, bool, error) {
	var row keyRow
	err := s.reader.WithContext(ctx).Where("key = ? AND asked_at > ?", key, stamp(time.Now().Add(-echo.KeyLife))).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return echo.Asked{}, false, nil
	}
	if err != nil {
		return echo.Asked{}, false, s.explain("look a key up", err)
	}
	return echo.Asked{Digest: row.Digest, Chat: row.Chat, Number: row.Number}, true, nil
}

// keepKey remembers what a key asked, and forgets those that are too old.
func keepKey(tx *gorm.DB, question echo.Question, exchange exchangeRow) error {
	if err := tx.Where("asked_at <= ?", stamp(time.Now().Add(-echo.KeyLife))).Delete(&keyRow{}).Error; err != nil {
		return err
	}
	return tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(&keyRow{
		Key: question.Key, Digest: question.Digest, Chat: exchange.Chat, Exchange: exchange.ID, Asked: stamp(time.Now()),
	}).Error
}
