// Package store keeps a workspace's chats on disk, in one SQLite file: numbered messages, running summaries, the journal of
// replies that are being written, and idempotency keys. It alone knows gorm and SQL. It decides nothing about replies; what it
// reports as done is durable.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	sqlitedriver "github.com/glebarez/go-sqlite"
	"github.com/glebarez/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"echo-companion/backend/echo"
)

// readers is how many connections read beside the writing one: a chat page, a search and the tools of two replies.
const readers = 4

// Store is one open database. It is safe for use from several goroutines: writes wait for each other, reads never wait.
type Store struct {
	path   string
	log    *slog.Logger
	writer *gorm.DB
	reader *gorm.DB

	outlines outlines // of the vectors
}

// Open opens the database at path, or makes it, brings its schema up to date, and turns the exchanges that a crash cut off into
// interrupted messages. The caller holds the workspace: no other process may have it open. Errors are *echo.Error with the code
// storage where a person can do something about them.
func Open(ctx context.Context, path string, log *slog.Logger) (*Store, error) {
	s := &Store{path: path, log: log}
	var err error
	if s.writer, err = connect(path, "&_txlock=immediate&_pragma=secure_delete(1)", 1); err != nil {
		return nil, s.explain("open the chat database", err)
	}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(s.explain("open the chat database", err), closeDB(s.writer))
	}
	if s.reader, err = connect(path, "&_pragma=query_only(1)", readers); err != nil {
		return nil, errors.Join(s.explain("open the chat database", err), closeDB(s.writer))
	}
	return s, nil
}

// prepare makes a freshly opened database ready.
func (s *Store) prepare(ctx context.Context) error {
	db, err := s.writer.DB()
	if err != nil {
		return err
	}
	if err := migrate(ctx, db); err != nil {
		return err
	}
	return s.recover(ctx)
}

// connect opens a pool. The busy timeout comes first, so that the other pragmas wait for a lock too; it is longer than any work of
// Echo's own, and short enough for a stop and for who is to be told that another program holds the database. What is acknowledged as
// saved is synced in full, since under WAL a lesser mode may lose the last commits with the power.
func connect(path, options string, connections int) (*gorm.DB, error) {
	file := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	dsn := file.String() + "?_pragma=busy_timeout(1500)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)" + options
	pool, err := sql.Open(sqlite.DriverName, dsn)
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	db, err := gorm.Open(sqlite.Dialector{Conn: pool}, &gorm.Config{
		Logger: logger.Discard, SkipDefaultTransaction: true, DisableAutomaticPing: true,
	})
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	return db, nil
}

// Close waits for the write in progress, folds the log back into the file, and closes it.
func (s *Store) Close() error {
	// Best effort: a log that stays behind is folded in when the database is opened again.
	checkpoint := s.writer.Exec("PRAGMA wal_checkpoint(TRUNCATE)").Error
	return errors.Join(s.explain("flush the chat database", checkpoint), closeDB(s.reader), closeDB(s.writer))
}

func closeDB(db *gorm.DB) error {
	pool, err := db.DB()
	if err != nil {
		return err
	}
	return pool.Close()
}

// write runs one transaction. It has taken the write lock before f reads, so that what f read still holds when it writes.
func (s *Store) write(ctx context.Context, what string, f func(tx *gorm.DB) error) error {
	return s.explain(what, s.writer.WithContext(ctx).Transaction(f))
}

// erase runs a transaction that removes what somebody said, and then folds the log back into the file, so that no copy of it is
// left on the disk. A reader may hold that up; then the next fold does it.
func (s *Store) erase(ctx context.Context, what string, f func(tx *gorm.DB) error) error {
	if err := s.write(ctx, what, f); err != nil {
		return err
	}
	if err := s.writer.WithContext(ctx).Exec("PRAGMA wal_checkpoint(TRUNCATE)").Error; err != nil {
		s.log.WarnContext(ctx, "the database's log could not be folded back", "error", err)
	}
	return nil
}

// read runs one reading transaction: f sees one state of the database.
func (s *Store) read(ctx context.Context, what string, f func(tx *gorm.DB) error) error {
	return s.explain(what, s.reader.WithContext(ctx).Transaction(f))
}

// SQLite's primary result codes that a person can do something about.
const (
	codeBusy     = 5
	codeLocked   = 6
	codeReadonly = 8
	codeIO       = 10
	codeCorrupt  = 11
	codeFull     = 13
	codeCantOpen = 14
	codeNotADB   = 26
)

// explain says in plain words what is wrong with the database. Coded errors and those of a context stay as they are.
func (s *Store) explain(what string, err error) error {
	if err == nil {
		return nil
	}
	if coded := new(echo.Error); errors.As(err, &coded) {
		return err
	}
	failure := new(sqlitedriver.Error)
	if !errors.As(err, &failure) {
		return fmt.Errorf("%s: %w", what, err)
	}
	var message string
	switch failure.Code() & 0xff { // the extended code holds the primary one in its lowest byte
	case codeBusy, codeLocked:
		message = "Another program holds the chat database %s. Close what uses it; Echo tries again."
	case codeFull:
		message = "The disk is full, so chats cannot be saved in %s. Free some space; Echo tries again."
	case codeCorrupt, codeNotADB:
		message = "The chat database %s is damaged. Quit Echo, put a copy of it back or move it away, and start Echo again."
	case codeReadonly, codeCantOpen:
		message = "Echo may not write the chat database %s. Check who owns the file and its folder."
	case codeIO:
		message = "The disk that holds the chat database %s reports an error. Check the disk; Echo tries again."
	default:
		return fmt.Errorf("%s: %w", what, err)
	}
	return echo.Errorf(echo.CodeStorage, message, s.path).Because(fmt.Errorf("%s: %w", what, err))
}

// unknownChat refuses what names a chat that is not there, or not any more.
func unknownChat() *echo.Error {
	return echo.Errorf(echo.CodeUnknownChat, "There is no such chat. It may have been deleted.")
}

// stamp is a time as the database keeps it.
func stamp(t time.Time) int64 {
	if t.IsZero() {
		t = time.Now()
	}
	return t.UnixMicro()
}

// moment is a kept time.
func moment(stamp int64) time.Time { return time.UnixMicro(stamp).UTC() }
