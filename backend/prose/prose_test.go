package prose

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// read reads a text in deltas of so many bytes.
func read(text string, size int) []Piece {
	var r Reader
	var pieces []Piece
	for len(text) > 0 {
		n := min(size, len(text))
		pieces = append(pieces, r.Add(text[:n])...)
		text = text[n:]
	}
	return append(pieces, r.End()...)
}

func raw(pieces []Piece) string {
	var all strings.Builder
	for _, p := range pieces {
		all.WriteString(p.Raw)
	}
	return all.String()
}

func spoken(pieces []Piece) []string {
	var all []string
	for _, p := range pieces {
		if p.Spoken != "" {
			all = append(all, p.Spoken)
		}
	}
	return all
}

func TestSentences(t *testing.T) {
	cases := map[string]struct {
		text string
		want []string
	}{
		"plain":           {"One two. Three four! Five?", []string{"One two.", "Three four!", "Five?"}},
		"decimals":        {"Pi is 3.14159 or so. It costs $2.50 today.", []string{"Pi is 3.14159 or so.", "It costs $2.50 today."}},
		"versions":        {"Go 1.26.0 is out. Use v2.1.", []string{"Go 1.26.0 is out.", "Use v2.1."}},
		"times":           {"Meet at 5 p.m. tomorrow. Or at 17.30.", []string{"Meet at 5 p.m. tomorrow.", "Or at 17.30."}},
		"time at the end": {"Meet at 5 p.m. Then we eat.", []string{"Meet at 5 p.m.", "Then we eat."}},
		"abbreviations":   {"Dr. Smith and Mr. Jones met, e.g. at noon. They talked.", []string{"Dr. Smith and Mr. Jones met, e.g. at noon.", "They talked."}},
		"initials":        {"J. S. Bach wrote it. So did I. You know.", []string{"J. S. Bach wrote it.", "So did I.", "You know."}},
		"urls":            {"See https://example.com/a.b?c=d. Then go.", []string{"See a link.", "Then go."}},
		"quotes":          {"He said \"Stop.\" She did.", []string{"He said \"Stop.\"", "She did."}},
		"ellipsis":        {"Well... Maybe.", []string{"Well...", "Maybe."}},
		"CJK":             {"你好。今天天气很好！是吗？", []string{"你好。", "今天天气很好！", "是吗？"}},
		"list":            {"Buy:\n1. Milk\n2. Bread\n- Eggs", []string{"Buy:", "1. Milk", "2. Bread", "Eggs"}},
		"wrapped":         {"This line\ngoes on. Next.", []string{"This line goes on.", "Next."}},
		"paragraphs":      {"# Title\n\nText here\n\nMore.", []string{"Title", "Text here", "More."}},
		"number":          {"See No. 5 for it. No. I will not.", []string{"See No. 5 for it.", "No.", "I will not."}},
		"etc":             {"Apples, pears, etc. are fruit. Cars etc. They drive.", []string{"Apples, pears, etc. are fruit.", "Cars etc.", "They drive."}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 2, 3, 7, 1000} {
				pieces := read(c.text, size)
				require.Equal(t, c.want, spoken(pieces), "deltas of %d bytes", size)
				require.Equal(t, c.text, raw(pieces))
			}
		})
	}
}

func TestFirstSentenceComesAsSoonAsItIsComplete(t *testing.T) {
	var r Reader
	require.Empty(t, r.Add("Hello there."))
	require.Len(t, r.Add(" H"), 1)
	require.True(t, r.Partial())
	require.Len(t, r.Break(), 1)
	require.False(t, r.Partial())
}

func TestMarkdownIsNotReadOut(t *testing.T) {
	cases := map[string]struct{ text, want string }{
		"emphasis":    {"This is **bold**, *slanted* and ~~gone~~.", "This is bold, slanted and gone."},
		"arithmetic":  {"2 * 3 is 6, 2*3 too.", "2 * 3 is 6, 2*3 too."},
		"names":       {"The file snake_case_name is _here_.", "The file snake_case_name is here."},
		"link":        {"Read [the page](https://example.com/x_(y)) now.", "Read the page now."},
		"inline code": {"Call `open` or `a[i] = {}`.", "Call open or."},
		"emoji":       {"Great 🎉 work 👩‍👩‍👧!", "Great work!"},
		"quote":       {"> So it is.", "So it is."},
		"html":        {"One<br>two.", "One two."},
		"rule":        {"---", ""},
		"symbols":     {"***", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, Spoken(c.text)) })
	}
}

func TestCodeAndTablesAreNotReadOut(t *testing.T) {
	text := "Here it is:\n```go\nfunc main() {\n\tprintln(\"a. B\")\n}\n```\nDone.\n\n| a | b |\n|---|---|\n| 1. X | 2 |\n\nThat is all."
	for _, size := range []int{1, 5, 1000} {
		pieces := read(text, size)
		require.Equal(t, []string{"Here it is:", "Done.", "That is all."}, spoken(pieces))
		require.Equal(t, text, raw(pieces))
	}
}

func TestAnAnswerThatIsAllCodeStillSaysSomething(t *testing.T) {
	text := "```\nx = 1\n```"
	pieces := read(text, 4)
	require.Len(t, spoken(pieces), 1)
	require.Equal(t, text, raw(pieces))
	require.Empty(t, read("", 1))
}

func TestASentenceWithoutAStopIsSpokenInPieces(t *testing.T) {
	cases := map[string]string{
		"words":   strings.TrimSpace(strings.Repeat("word and ", 250)),
		"clauses": strings.TrimSpace(strings.Repeat("some more words here, ", 100)),
		"no gaps": strings.Repeat("x", 2000),
		"CJK":     strings.Repeat("天气很好", 500),
		"commas":  strings.Repeat("天气，", 700),
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			pieces := read(text, 11)
			require.Equal(t, text, raw(pieces))
			for _, p := range pieces {
				require.LessOrEqual(t, utf8.RuneCountInString(p.Spoken), pieceMost)
				require.NotEmpty(t, p.Spoken)
			}
		})
	}
}

func TestALongSentenceIsSpokenInPiecesHoweverItComes(t *testing.T) {
	text := strings.Repeat("words and more of them ", 30) + "end. Then."
	for _, size := range []int{1, 40, 10_000} {
		pieces := read(text, size)
		require.Equal(t, text, raw(pieces))
		require.Equal(t, "Then.", spoken(pieces)[len(spoken(pieces))-1])
		for _, p := range pieces {
			require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSpace(p.Raw)), pieceMost, "deltas of %d bytes", size)
		}
	}
}

func TestAloudIsTheWholeTextAsItIsReadAloud(t *testing.T) {
	require.Equal(t, "See the page. Then a link.", Aloud("See **[the page](https://example.com)**.\n\n```\nx\n```\n\nThen https://example.org."))
	require.Equal(t, "I have written the answer down for you to read.", Aloud("```\nx\n```"))
	require.Empty(t, Aloud(""))
}

func FuzzPiecesJoinedAreTheText(f *testing.F) {
	for _, text := range []string{"One. Two", "```\na\n```\nb. C", "| a |\n", "a\xffb. \xe2\x82", "Dr. X.\n\n- y", "「あ。」い", "`x", "~~~\n"} {
		f.Add(text, 1)
		f.Add(text, 5)
	}
	f.Fuzz(func(t *testing.T, text string, size int) {
		if size < 1 {
			size = 1
		}
		pieces := read(text, size)
		require.Equal(t, text, raw(pieces))
		for _, p := range pieces {
			require.LessOrEqual(t, utf8.RuneCountInString(p.Spoken), pieceMost+50)
		}
	})
}

// BenchmarkReader compares an answer that comes word by word with one that comes at once, and with one without a stop.
func BenchmarkReader(b *testing.B) {
	text := strings.Repeat("The answer goes on, and on, for a while. ", 500)
	for name, c := range map[string]struct {
		text string
		size int
	}{"words": {text, 5}, "at once": {text, len(text)}, "without a stop": {strings.Repeat("x", len(text)), len(text)}} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				read(c.text, c.size)
			}
		})
	}
}
