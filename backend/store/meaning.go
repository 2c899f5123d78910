package store

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
	"sync"

	"gorm.io/gorm"

	"echo-companion/backend/echo"
)

// weighed is how many vectors a search by meaning compares in full. Which ones, their signs tell: they take 48 bytes a vector in
// memory, so that a million messages are gone through in some 10 ms.
const weighed = 400

// signs are the signs of a vector's numbers, a bit each, and which row it is.
type signs struct {
	row  int64
	ones []uint64
}

// outlines is what is known of all vectors. Those of deleted messages stay until the store is closed, and find nothing.
type outlines struct {
	mu  sync.Mutex
	all []signs // by row
}

// Unlearnt gives messages that have no vectors yet, the newest first.
func (s *Store) Unlearnt(ctx context.Context, limit int) ([]echo.Unlearnt, error) {
	var rows []echo.Unlearnt
	err := s.reader.WithContext(ctx).Raw(`
		SELECT unlearnt.id AS id, messages.text AS text FROM unlearnt JOIN messages ON messages.id = unlearnt.message
		ORDER BY unlearnt.id DESC LIMIT ?`, limit).Scan(&rows).Error
	return rows, s.explain("look for messages to learn", err)
}

// Learn keeps the vectors of messages. One that was deleted or changed since it was read is left out.
func (s *Store) Learn(ctx context.Context, meanings []echo.Meaning) error {
	return s.write(ctx, "keep what messages mean", func(tx *gorm.DB) error {
		for _, meaning := range meanings {
			var message int64 // 0: it is not there any more
			if err := tx.Raw("DELETE FROM unlearnt WHERE id = ? RETURNING message", meaning.ID).Scan(&message).Error; err != nil {
				return err
			}
			if message == 0 {
				continue
			}
			for part, vector := range meaning.Parts {
				err := tx.Exec("INSERT INTO vectors (message, part, vector) VALUES (?, ?, ?)", message, part, pack(vector)).Error
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Like finds the messages that are most like a vector, and at least so much; the best first, each with its best part.
func (s *Store) Like(ctx context.Context, vector []float32, least float64, limit int) ([]echo.Kin, error) {
	var kin []echo.Kin
	err := s.read(ctx, "search chats by meaning", func(tx *gorm.DB) error {
		rows, err := s.outlines.closest(tx, vector)
		if err != nil || len(rows) == 0 {
			return err
		}
		best, err := weigh(tx, rows, vector, least)
		if err != nil || len(best) == 0 {
			return err
		}
		kin, err = named(tx, best[:min(limit, len(best))])
		return err
	})
	return kin, err
}

// likeRow is a vector that was compared in full.
type likeRow struct {
	Message int64
	Part    int
	Vector  []byte

	likeness float64
}

// weigh compares vectors in full and gives the messages that are enough alike, the best first.
func weigh(tx *gorm.DB, rows []int64, vector []float32, least float64) ([]likeRow, error) {
	var found []likeRow
	if err := tx.Raw("SELECT message, part, vector FROM vectors WHERE id IN ?", rows).Scan(&found).Error; err != nil {
		return nil, err
	}
	best := map[int64]likeRow{}
	for _, row := range found {
		row.likeness = alike(vector, row.Vector)
		if known, has := best[row.Message]; row.likeness >= least && (!has || row.likeness > known.likeness) {
			best[row.Message] = row
		}
	}
	sorted := make([]likeRow, 0, len(best))
	for _, row := range best {
		sorted = append(sorted, row)
	}
	slices.SortFunc(sorted, func(a, b likeRow) int {
		return cmp.Or(cmp.Compare(b.likeness, a.likeness), cmp.Compare(b.Message, a.Message))
	})
	return sorted, nil
}

// named gives the messages with their chats, in the order of the rows.
func named(tx *gorm.DB, rows []likeRow) ([]echo.Kin, error) {
	ids := make([]int64, 0, len(rows))
	for _, row := range rows {
		ids = append(ids, row.Message)
	}
	var messages []struct {
		ID     int64
		Chat   string
		Title  string
		Number int
		Text   string
	}
	err := tx.Raw(`
		SELECT messages.id, chats.id AS chat, chats.title, messages.number, messages.text
		FROM messages JOIN chats ON chats.id = messages.chat WHERE messages.id IN ?`, ids).Scan(&messages).Error
	if err != nil {
		return nil, err
	}
	hits := map[int64]echo.Hit{}
	for _, m := range messages {
		hits[m.ID] = echo.Hit{Chat: m.Chat, Title: m.Title, Number: m.Number, Text: m.Text}
	}
	kin := make([]echo.Kin, 0, len(rows))
	for _, row := range rows {
		if hit, found := hits[row.Message]; found {
			kin = append(kin, echo.Kin{Hit: hit, Part: row.Part, Likeness: row.likeness})
		}
	}
	return kin, nil
}

// closest gives the rows of the vectors whose signs differ least from those of a vector. It reads what came since it looked last.
func (o *outlines) closest(tx *gorm.DB, vector []float32) ([]int64, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.read(tx); err != nil {
		return nil, err
	}
	want := outline(func(n int) bool { return vector[n] > 0 }, len(vector))
	counts := make([]int, len(vector)+1)
	distances := make([]int, len(o.all))
	for i, known := range o.all {
		distances[i] = min(distance(want, known.ones), len(vector))
		counts[distances[i]]++
	}
	bound, taken := 0, 0
	for bound < len(vector) && taken+counts[bound] < weighed {
		taken += counts[bound]
		bound++
	}
	rows := make([]int64, 0, weighed)
	for i, known := range slices.Backward(o.all) { // of those at the bound the newest
		switch {
		case distances[i] < bound:
			rows = append(rows, known.row)
		case distances[i] == bound && taken < weighed:
			rows = append(rows, known.row)
			taken++
		}
	}
	return rows, nil
}

// read takes in the vectors that are new.
func (o *outlines) read(tx *gorm.DB) error {
	last := int64(0)
	if n := len(o.all); n > 0 {
		last = o.all[n-1].row
	}
	rows, err := tx.Raw("SELECT id, vector FROM vectors WHERE id > ? ORDER BY id", last).Rows()
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id int64
		var packed []byte
		if err := rows.Scan(&id, &packed); err != nil {
			return err
		}
		o.all = append(o.all, signs{row: id, ones: outline(func(n int) bool { return int8(packed[n]) > 0 }, len(packed))}) //nolint:gosec // a signed byte
	}
	return rows.Err()
}

// distance counts the signs that differ.
func distance(a, b []uint64) int {
	count := 0
	for n := range min(len(a), len(b)) {
		count += bits.OnesCount64(a[n] ^ b[n])
	}
	return count
}

// outline gives the signs of so many numbers.
func outline(positive func(n int) bool, length int) []uint64 {
	ones := make([]uint64, (length+63)/64)
	for n := range length {
		if positive(n) {
			ones[n/64] |= 1 << (n % 64)
		}
	}
	return ones
}

// pack writes a vector as signed bytes: its direction alone is of interest, so that its greatest number is 127.
func pack(vector []float32) []byte {
	var most float64
	for _, number := range vector {
		most = max(most, math.Abs(float64(number)))
	}
	packed := make([]byte, len(vector))
	if most == 0 || math.IsNaN(most) || math.IsInf(most, 0) {
		return packed
	}
	for n, number := range vector {
		packed[n] = byte(int8(math.Round(float64(number) / most * 127))) //nolint:gosec // between -127 and 127
	}
	return packed
}

// alike is the cosine of a unit vector and a packed one.
func alike(vector []float32, packed []byte) float64 {
	var sum, square float64
	for n := range min(len(vector), len(packed)) {
		number := float64(int8(packed[n])) //nolint:gosec // a signed byte
		sum += float64(vector[n]) * number
		square += number * number
	}
	if square == 0 {
		return 0
	}
	return sum / math.Sqrt(square)
}
