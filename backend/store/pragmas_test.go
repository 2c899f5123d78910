package store

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
)

// TestPragmasTakeEffect reads them back: a driver ignores those that it spells another way.
func TestPragmasTakeEffect(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "a name with % and ?.db"), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	want := map[string]string{"busy_timeout": "1500", "journal_mode": "wal", "synchronous": "2", "foreign_keys": "1"}
	for name, db := range map[string]*gorm.DB{"writer": s.writer, "reader": s.reader} {
		for pragma, value := range want {
			var got string
			require.NoError(t, db.Raw("PRAGMA "+pragma).Scan(&got).Error)
			require.Equal(t, value, got, "%s of the %s", pragma, name)
		}
	}
	var erases string
	require.NoError(t, s.writer.Raw("PRAGMA secure_delete").Scan(&erases).Error)
	require.Equal(t, "1", erases)
	require.Error(t, s.reader.Exec("DELETE FROM chats").Error, "readers do not write")
}

func TestPhrasesTakeWhatPeopleType(t *testing.T) {
	for query, want := range map[string]string{
		"":                       "",
		"?!":                     "",
		"penguins":               `"penguins"*`,
		"東":                      `"東"*`,
		"penguins ":              `"penguins"`,
		`say "hi" OR NEAR(x) -y`: `"say" AND "hi" AND "OR" AND "NEAR" AND "x" AND "y"`,
		"gazelle2 état*":         `"gazelle2" AND "état"*`,
	} {
		require.Equal(t, want, phrases(query, " AND "), query)
	}
}
