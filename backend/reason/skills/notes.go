package skills

import (
	"context"
	"regexp"
	"strings"

	"echo-companion/backend/passage"
)

// shelf is where something is looked up.
type shelf int

const (
	inNotes shelf = iota // the notes were named
	inChats              // earlier talk was named
	anyOf                // it may be in either
)

var (
	notesNamed = regexp.MustCompile(`\b(?:my|our|the|these|any) (?:own )?(?:notes?|files?|documents?|docs|folder|notebook|journal|papers)\b|\bin (?:notes|files|documents)\b|\bi (?:wrote|noted|have written|jotted|saved)\b|\b(?:did|have|had) (?:i|we) (?:ever )?(?:write|wrote|written|note|noted|jot|jotted|put down|record|recorded|save|saved)\b|\bgift ideas\b`)
	chatsNamed = regexp.MustCompile(`\b(?:we|you and i) (?:\w+ )?(?:said|talked|talking|discussed|spoke|spoken|chatted|decided|agreed)\b|\b(?:have|did) (?:we|you and i) (?:ever |already )?(?:say|said|talk|talked|discuss|discussed|speak|spoken|spoke|chat|chatted|decide|decided|agree|agreed)\b|` +
		`\b(?:did|have|had) (?:i|you) (?:ever |already |just )?(?:say|said|tell|told|mention|mentioned|ask|asked)\b.*\b(?:about|on|regarding|my|the)\b|\bi (?:ever |already )?(?:mention|mentioned|asked|tell you|told you|ask you) (?:you )?(?:about|my|the)\b|\byou (?:once |just |already )?(?:told|recommended|explained|mentioned|suggested)\b|\b(?:chats?|conversations?)\b`)
	ownWord  = regexp.MustCompile(`\b(?:my|mine|our|ours|i|we|us|me)\b`)
	wanting  = regexp.MustCompile(`^(?:(?:what|when|where|which|who|whose|how|is|are|was|were|do|does|did|have|has|had|am|find|search|look|the|my|our|any|anything|show|list|on|in|at|by|for|from|until|till|since|to|with|about|read|pull up|bring up|open|get)\b|whens|wheres)`)
	noSearch = regexp.MustCompile(`\b(?:should (?:i|we)|write me|write a|compose|translate|tell me a|remind|set an?|set the|play|turn (?:on|off)|how (?:do|can|could|would|should) (?:i|we)|can (?:i|we)|what (?:can|could|should|would) (?:i|we)|joke|poem|call|send|buy me|explain)\b`)
	// lookLead is what stands around what is looked for.
	lookLead = regexp.MustCompile(`^(?:(?:search|look|check|find|go|look up|see|browse|scan|show|list|read|get)(?: (?:through|in|into|for|up|out|at|me))* (?:(?:my|our|the|all|any|earlier|previous|old|past) )*(?:notes?|files?|documents?|docs|folder|chats?|conversations?|chat history|history)(?: (?:for|about|on|regarding|and find|if|whether))?|` +
		`(?:find|search|look up|look for|search for|get|show|read|find me)(?: (?:the|my|our|a|any))* (?:note|notes|chat|chats|conversation|conversations|file|files|passage|talk) (?:about|on|for|with|regarding|where we talked about|where i asked about)|` +
		`(?:is|are) there (?:anything|something|any notes?|a note) (?:about|on|for|regarding)|(?:do|did) (?:i|we) have (?:any |a )?(?:notes?|files?|documents?|anything|something) (?:about|on|for|regarding)|anything (?:in my (?:notes|files|documents) )?(?:about|on|for|regarding)|` +
		`what (?:do|does|did) (?:my|our|the) (?:notes?|files?|documents?) (?:say|tell|have|contain|mention) (?:about|on|for|regarding)|` +
		`(?:what|when|where|did|have|had|in which chat|which chat|in which conversation)? ?(?:was it|is it|it)? ?(?:did|do|have|had|that|which)? ?(?:we|i|you) (?:ever |just |already |last )*(?:did |have )?(?:say|said|talk|talked|write|wrote|written|write down|note|noted|jot|jotted|tell|told|ask|asked|mention|mentioned|discuss|discussed|speak|spoke|spoken|decide|decided|agree|agreed|save|saved)\b(?: (?:down|me|you|up|to me|to you))*(?: (?:about|on|regarding|of|for))?|` +
		`(?:which|what) (?:chat|conversation)s? (?:was|is|were|did we have) (?:about|on)|(?:find|search|show|look up|look for) |do you remember (?:when|what|that) |remember (?:when|what|that) ) ?`)
	lookTail  = regexp.MustCompile(` ?(?:according to (?:my|the|our) (?:notes?|files?)|(?:in|from) (?:my|our|the) (?:notes?|files?|documents?|docs|folder)|my notes should say|in (?:our|the|my|an|any)? ?(?:earlier |previous |old |past )?(?:chats?|conversations?)|before|in the past|last (?:week|time|month)|notes?)$`)
	lookPlace = regexp.MustCompile(`^(?:(?:in|at|on|during|from|of|the) )+`)
	aboutCut  = regexp.MustCompile(`^.*\b(?:about|regarding) (?:when we discussed )?`)
)

// lookUp answers from the notes and the earlier chats where a question names them.
func (r *Reasoner) lookUp(q question) (plan, bool) {
	switch {
	case noSearch.MatchString(q.text) && !notesNamed.MatchString(q.text) && !chatsNamed.MatchString(q.text):
		return plan{}, false
	case notesNamed.MatchString(q.text):
		return r.search(q, inNotes), true
	case chatsNamed.MatchString(q.text):
		return r.search(q, inChats), true
	}
	return plan{}, false
}

// perhaps looks up what may be in someone's notes: a question about what is theirs.
func (r *Reasoner) perhaps(q question) (plan, bool) {
	if !q.hasWord("my", "our", "mine", "ours") && (!ownWord.MatchString(q.text) || !wanting.MatchString(q.text)) || noSearch.MatchString(q.text) {
		return plan{}, false
	}
	return r.search(q, anyOf), true
}

// subject gives what a question wants looked up: its object where it names one, or the question itself.
func subject(text string) string {
	text = strings.TrimSpace(lookTail.ReplaceAllString(text, ""))
	found := strings.TrimSpace(lookLead.ReplaceAllString(text, ""))
	found = strings.TrimSpace(lookTail.ReplaceAllString(lookLead.ReplaceAllString(found, ""), ""))
	if found = strings.TrimSpace(lookPlace.ReplaceAllString(found, "")); found != "" {
		return found
	}
	if cut := aboutCut.ReplaceAllString(text, ""); cut != "" {
		return cut
	}
	return text
}

// search is a plan that looks for a question's subject: in files as it was put, which compares by meaning too, and in chats by those
// of its words that carry meaning.
func (r *Reasoner) search(q question, where shelf) plan {
	about := subject(q.text)
	files := call{toolFiles, map[string]any{"query": about}}
	chats := call{toolChats, map[string]any{"query": strings.Join(passage.Keywords(about), " ")}}
	p := plan{intent: intentNotes, calls: []call{files}}
	switch where {
	case inChats:
		p.intent, p.calls = intentChats, []call{chats}
	case anyOf:
		p.calls = []call{files, chats}
	case inNotes:
	}
	p.compose = func(ctx context.Context, results []result) string {
		return r.tellFound(ctx, findings{where: where, about: about, question: q}, results)
	}
	return p
}
