package passage

import (
	"path"
	"regexp"
	"strings"

	"github.com/rivo/uniseg"
)

// longest is how many bytes of a sentence are kept: the model that embeds reads 256 tokens, and nobody wants to hear more.
const longest = 600

var (
	heading  = regexp.MustCompile(`^#{1,6}\s+(.*?)\s*#*$`)
	marker   = regexp.MustCompile(`^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?|^\s*>+\s?`)
	rule     = regexp.MustCompile(`^\s*(?:[-*_=]\s*){3,}$|^\s*\|?[\s:|-]*-{3,}[\s:|-]*$`)
	link     = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	emphasis = regexp.MustCompile("\\*\\*|__|`|~~")
	spaces   = regexp.MustCompile(`\s+`)
	// shortened ends no sentence though a full stop follows.
	shortened = regexp.MustCompile(`(?i)(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|no|nr|vs|etc|e\.g|i\.e|approx|ca|tel|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|[A-Z])\.\s*$`)
)

// Sentences cuts a text file into sentences with the line on which each begins. Markdown is understood: a heading ends a
// sentence and tells what those below it are about, a list's item is one of its own, code is left out. Lines that follow each other
// without a blank are one paragraph.
func Sentences(text string) []Passage {
	cut := split("", text)
	passages := make([]Passage, len(cut))
	for n, s := range cut {
		passages[n] = s.passage
	}
	return passages
}

// split is Sentences with the context of each; source is the file's path, whose name is context too.
func split(source, text string) []sentence {
	s := splitter{source: source, name: strings.TrimSuffix(path.Base(source), path.Ext(source))}
	if source == "" {
		s.name = ""
	}
	fenced := false
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, " \t\r")
		trimmed := strings.TrimSpace(line)
		switch title := heading.FindStringSubmatch(trimmed); {
		case strings.HasPrefix(trimmed, "```"), n == 0 && trimmed == "---", s.matter && trimmed == "---":
			s.flush()
			if trimmed == "---" {
				s.matter = !s.matter
				continue
			}
			fenced = !fenced
		case fenced:
		case trimmed == "", rule.MatchString(trimmed):
			s.flush()
		case title != nil:
			s.flush()
			s.alone()
			s.about, s.bare = plain(title[1]), &start{line: n + 1}
		case marker.MatchString(line), s.matter, strings.HasPrefix(trimmed, "|"):
			s.flush()
			s.add(n+1, strings.ReplaceAll(marker.ReplaceAllString(line, ""), "|", " "))
		default:
			s.add(n+1, line)
		}
	}
	s.flush()
	s.alone()
	return s.out
}

// splitter gathers lines until a paragraph ends.
type splitter struct {
	source, name string
	about        string // the heading above
	bare         *start // where that stands, until something stands below it
	matter       bool   // inside a front matter
	starts       []start
	text         strings.Builder
	out          []sentence
}

// start is where in the gathered text a line begins.
type start struct{ offset, line int }

func (s *splitter) add(line int, text string) {
	if s.text.Len() > 0 {
		s.text.WriteByte(' ')
	}
	s.starts = append(s.starts, start{s.text.Len(), line})
	s.text.WriteString(plain(text))
}

// flush cuts what was gathered into sentences.
func (s *splitter) flush() {
	text := s.text.String()
	offset := 0
	for _, piece := range pieces(text) {
		at := offset + len(piece) - len(strings.TrimLeft(piece, " "))
		offset += len(piece)
		if said := strings.TrimSpace(piece); said != "" {
			s.keep(said, s.line(at))
		}
	}
	s.text.Reset()
	s.starts = s.starts[:0]
}

func (s *splitter) line(offset int) int {
	line := 0
	for _, begin := range s.starts {
		if begin.offset <= offset {
			line = begin.line
		}
	}
	return line
}

// alone keeps a heading as a sentence of its own where nothing stands below it. Otherwise it only helps to find what does: found by
// itself it would answer nothing.
func (s *splitter) alone() {
	if s.bare != nil && s.about != "" {
		s.keep(s.about, s.bare.line)
	}
}

func (s *splitter) keep(said string, line int) {
	s.bare = nil
	context := strings.TrimSpace(strings.NewReplacer("-", " ", "_", " ").Replace(s.name))
	if s.about != "" && s.about != said {
		context = strings.TrimPrefix(context+", "+s.about, ", ")
	}
	said = cut(said, longest)
	s.out = append(s.out, sentence{
		passage: Passage{Text: said, Source: s.source, Line: line},
		context: context,
		stems:   Stems(context + " " + said),
	})
}

// pieces cuts at the ends of sentences, as Unicode has them, but not after an abbreviation. Joined, they are the text.
func pieces(text string) []string {
	var out []string
	state := -1
	for rest := text; rest != ""; {
		var piece string
		piece, rest, state = uniseg.FirstSentenceInString(rest, state)
		if last := len(out) - 1; last >= 0 && shortened.MatchString(out[last]) {
			out[last] += piece
			continue
		}
		out = append(out, piece)
	}
	return out
}

// plain takes Markdown's marks off a line.
func plain(line string) string {
	line = emphasis.ReplaceAllString(link.ReplaceAllString(line, "$1"), "")
	return strings.TrimSpace(spaces.ReplaceAllString(strings.ToValidUTF8(line, ""), " "))
}

// cut shortens a text to at most limit bytes, at a space where there is one.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	text = strings.ToValidUTF8(text[:limit], "")
	if space := strings.LastIndexByte(text, ' '); space > limit/2 {
		text = text[:space]
	}
	return text + " …"
}
