package skills

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// place where something is looked up.
type shelf int

const (
	inNotes shelf = iota // the notes were named
	inChats              // earlier talk was named
	anyOf                // it may be in either
)

var (
	notesNamed = regexp.MustCompile(`\b(?:my|our|the|these|any) (?:own )?(?:notes?|files?|documents?|docs|folder|notebook|journal|papers)\b|\bin (?:notes|files|documents)\b|\bi (?:wrote|noted|written|write|note|jotted|jot|saved|save)\b|\b(?:did|have|had) (?:i|we) (?:ever )?(?:write|wrote|written|note|noted|jot|jotted|put down|record|recorded|save|saved)\b|\bgift ideas\b`)
	chatsNamed = regexp.MustCompile(`\b(?:we|you and i) (?:\w+ )?(?:say|said|talk|talked|talking|discuss|discussed|speak|spoke|spoken|chat|chatted|decide|decided|agree|agreed)\b|\b(?:have|did) we (?:ever |already )?(?:say|said|talk|talked|discuss|discussed|speak|spoken|spoke|chat|chatted|decide|decided|agree|agreed)\b|` +
		`\b(?:did|have|had) (?:i|you) (?:ever |already |just )?(?:say|said|tell|told|mention|mentioned|ask|asked)\b.*\b(?:about|on|regarding|my|the)\b|\bi (?:ever |already )?(?:mention|mentioned|asked|tell you|told you|ask you) (?:you )?(?:about|my|the)\b|\b(?:chats?|conversations?)\b`)
	ownWord  = regexp.MustCompile(`\b(?:my|mine|our|ours|i|we|us|me)\b`)
	wanting  = regexp.MustCompile(`^(?:(?:what|when|where|which|who|whose|how|is|are|was|were|do|does|did|have|has|had|am|find|search|look|the|my|our|any|anything|show|list|on|in|read)\b|whens|wheres)`)
	noSearch = regexp.MustCompile(`\b(?:should (?:i|we)|write me|write a|compose|translate|tell me a|remind|set an?|set the|play|turn (?:on|off)|how (?:do|can|could|would|should) (?:i|we)|can (?:i|we)|what (?:can|could|should|would) (?:i|we)|joke|poem|call|send|buy me|explain)\b`)
	// lookLead is what stands around what is looked for.
	lookLead = regexp.MustCompile(`^(?:(?:search|look|check|find|go|look up|see|browse|scan|show|list|read|get)(?: (?:through|in|into|for|up|out|at|me))* (?:(?:my|our|the|all|any|earlier|previous|old|past) )*(?:notes?|files?|documents?|docs|folder|chats?|conversations?|chat history|history)(?: (?:for|about|on|regarding|and find|if|whether))?|` +
		`(?:find|search|look up|look for|search for|get|show|read|find me)(?: (?:the|my|our|a|any))* (?:note|notes|chat|chats|conversation|conversations|file|files|passage|talk) (?:about|on|for|with|regarding|where we talked about|where i asked about)|` +
		`(?:is|are) there (?:anything|something|any notes?|a note) (?:about|on|for|regarding)|(?:do|did) (?:i|we) have (?:any |a )?(?:notes?|files?|documents?|anything|something) (?:about|on|for|regarding)|anything (?:in my (?:notes|files|documents) )?(?:about|on|for|regarding)|` +
		`what (?:do|does|did) (?:my|our|the) (?:notes?|files?|documents?) (?:say|tell|have|contain|mention) (?:about|on|for|regarding)|` +
		`(?:what|when|where|did|have|had|in which chat|which chat|in which conversation)? ?(?:was it|is it|it)? ?(?:did|do|have|had|that|which)? ?(?:we|i|you) (?:ever |just |already |last )*(?:did |have )?(?:say|said|talk|talked|write|wrote|written|write down|note|noted|jot|jotted|tell|told|ask|asked|mention|mentioned|discuss|discussed|speak|spoke|spoken|decide|decided|agree|agreed|save|saved)(?: (?:down|me|you|up|to me|to you))*(?: (?:about|on|regarding|of|for))?|` +
		`(?:which|what) (?:chat|conversation)s? (?:was|is|were|did we have) (?:about|on)|(?:find|search|show|look up|look for) |do you remember (?:when|what|that) |remember (?:when|what|that) ) ?`)
	lookTail = regexp.MustCompile(` ?(?:according to (?:my|the|our) (?:notes?|files?)|(?:in|from) (?:my|our|the) (?:notes?|files?|documents?|docs|folder)|my notes should say|in (?:our|the|my|an|any)? ?(?:earlier |previous |old |past )?(?:chats?|conversations?)|before|in the past|last (?:week|time|month)|notes?)$`)
	aboutCut = regexp.MustCompile(`^.*\b(?:about|regarding) (?:when we discussed )?`)
)

// lookUp answers from the notes and the earlier chats where a question names them.
func lookUp(q question) (plan, bool) {
	switch {
	case noSearch.MatchString(q.text) && !notesNamed.MatchString(q.text) && !chatsNamed.MatchString(q.text):
		return plan{}, false
	case notesNamed.MatchString(q.text):
		return search(q, inNotes), true
	case chatsNamed.MatchString(q.text):
		return search(q, inChats), true
	}
	return plan{}, false
}

// perhaps looks up what may be in someone's notes: a question about what is theirs.
func perhaps(q question) (plan, bool) {
	if !ownWord.MatchString(q.text) || !wanting.MatchString(q.text) || noSearch.MatchString(q.text) {
		return plan{}, false
	}
	return search(q, anyOf), true
}

// subject gives what a question wants looked up: its object where it names one, or the question itself.
func subject(text string) string {
	text = strings.TrimSpace(lookTail.ReplaceAllString(text, ""))
	found := strings.TrimSpace(lookLead.ReplaceAllString(text, ""))
	found = strings.TrimSpace(lookTail.ReplaceAllString(lookLead.ReplaceAllString(found, ""), ""))
	if found = strings.TrimSpace(strings.TrimPrefix(found, "the ")); found != "" {
		return found
	}
	if cut := aboutCut.ReplaceAllString(text, ""); cut != "" {
		return cut
	}
	return text
}

// search is a plan that looks for a question's subject.
func search(q question, where shelf) plan {
	about := subject(q.text)
	arguments := map[string]any{"query": about}
	files, chats := call{toolFiles, arguments}, call{toolChats, arguments}
	p := plan{intent: intentNotes, calls: []call{files}}
	switch where {
	case inChats:
		p.intent, p.calls = intentChats, []call{chats}
	case anyOf:
		p.calls = []call{files, chats}
	case inNotes:
	}
	p.compose = func(results []result) string { return tellFound(where, about, results) }
	return p
}

// excerpt is a found sentence, as the tools tell it.
type excerpt struct {
	Source  string  `json:"source"`
	Path    string  `json:"path"`
	Title   string  `json:"title"`
	Line    int     `json:"line"`
	Text    string  `json:"text"`
	Snippet string  `json:"snippet"`
	Score   float64 `json:"score"`
	chat    bool
}

// tellFound words what the searches found: the best passages and where each is from.
func tellFound(where shelf, about string, results []result) string {
	const most = 3
	var found []excerpt
	var problems []string
	for _, r := range results {
		passages, problem := readPassages(r)
		found = append(found, passages...)
		if problem != "" {
			problems = append(problems, problem)
		}
	}
	if len(found) == 0 {
		switch {
		case len(problems) > 0:
			return failed("search", strings.Join(problems, " "))
		case where == inNotes:
			return fmt.Sprintf("I found nothing about %s in your notes.", quote(about))
		case where == inChats:
			return fmt.Sprintf("I found nothing about %s in our earlier chats.", quote(about))
		}
		return nothingFound("your notes and our earlier chats")
	}
	slices.SortStableFunc(found, func(a, b excerpt) int { return cmp.Compare(b.Score, a.Score) })
	best := found[0].Score
	var told []string
	for _, p := range found[:min(most, len(found))] {
		if p.Score < best*0.75 { // far behind the best: it would only be noise when spoken
			break
		}
		told = append(told, p.tell())
	}
	return strings.Join(told, " ")
}

func (p excerpt) tell() string {
	text := strings.TrimRight(quote(cmp.Or(p.Text, p.Snippet)), ".")
	from := cmp.Or(p.Source, p.Path, p.Title)
	switch {
	case p.chat && from == "":
		return "In an earlier chat: " + text
	case p.chat:
		return fmt.Sprintf("In the chat %s: %s", quote(from), text)
	case p.Line > 0:
		return fmt.Sprintf("In %s, line %d: %s", from, p.Line, text)
	}
	return fmt.Sprintf("In %s: %s", cmp.Or(from, "your notes"), text)
}

// readPassages reads what a search gave. problem is what it said where that is no list.
func readPassages(r result) (found []excerpt, problem string) {
	text := strings.TrimSpace(r.text)
	var wrapped struct{ Passages, Hits, Results []excerpt }
	switch {
	case text == "", text == "null":
		return nil, ""
	case json.Unmarshal([]byte(text), &found) == nil:
	case json.Unmarshal([]byte(text), &wrapped) == nil:
		found = append(append(wrapped.Passages, wrapped.Hits...), wrapped.Results...)
	case nothingWords.MatchString(text):
		return nil, ""
	default:
		return nil, text
	}
	found = slices.DeleteFunc(found, func(p excerpt) bool { return p.Text == "" && p.Snippet == "" })
	for n := range found {
		found[n].chat = r.tool == toolChats
	}
	return found, ""
}

var nothingWords = regexp.MustCompile(`(?i)^(?:nothing|no (?:\w+ )?(?:match|matches|result|results|passage|passages|hit|hits|file|files|chat|chats|message|messages)|not found|found nothing|there (?:is|are) no)`)
