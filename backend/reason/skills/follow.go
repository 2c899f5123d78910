package skills

import (
	"regexp"
	"strings"
)

var (
	// What goes on from the exchange before: the same of something else, or a sum with the last result.
	another = regexp.MustCompile(`^(?:(?:what|how) about|same for|what is (?:it|that)|how much is (?:it|that)|is that|convert (?:it|that)|that|it|and)? ?((?:in|for|to|into|on) .+|tomorrow|yesterday|the day after tomorrow|.+)$`)
	goingOn = regexp.MustCompile(`^(?:and |now |then |what is )?(?:that |it |the result )?(plus|minus|times|multiplied by|divided by|squared|cubed|over|\+|-|\*|/|\^)(?: ` + num + `)?$`)
	doing   = regexp.MustCompile(`^(add|subtract|multiply|divide|double|triple|half|halve|square) (?:that|it|this|the result)(?: (?:by|to|from))?(?: ` + num + `)?$|^(add|subtract) ` + num + `(?: (?:to|from) (?:that|it))?$`)
	final   = regexp.MustCompile(num + `\D*$`)
)

// longestFollowUp is how many words a question may have that only goes on from the one before.
const longestFollowUp = 7

// follow reads a short question as one that goes on from the exchange before: "and in Paris", "times two", "what about tomorrow".
func (r *Reasoner) follow(q question) (plan, bool) {
	if len(q.earlier) == 0 || len(strings.Fields(q.text)) > longestFollowUp {
		return plan{}, false
	}
	before := q.earlier[len(q.earlier)-1]
	if text, ok := further(q.digits, before.answer); ok {
		return r.sums.answer(question{digits: text, text: text})
	}
	found := another.FindStringSubmatch(q.text)
	if found == nil {
		return plan{}, false
	}
	earlier := asked(before.question)
	subject := strings.TrimSpace(found[1])
	if _, ok := r.clock(earlier); ok {
		if where, rest := r.placeApart("in " + prepositions.ReplaceAllString(subject, "")); where.zone != "" && strings.TrimSpace(rest) == "" {
			return timeAt(where), true
		}
	}
	if _, ok := r.calendar(earlier); ok {
		return r.calendar(asked("what day is " + prepositions.ReplaceAllString(subject, "")))
	}
	if _, ok := r.units.conversion(earlier); ok {
		for _, m := range r.units.mentions(earlier.digits) {
			if m.amount != "" && m.said == "" {
				return r.units.conversion(asked(m.amount + " " + m.units[0].many + " in " + prepositions.ReplaceAllString(subject, "")))
			}
		}
	}
	return plan{}, false
}

var prepositions = regexp.MustCompile(`^(?:(?:in|for|to|into|on|about|the) )+`)

// further writes a sum that begins with the last number of the answer before.
func further(text, answer string) (string, bool) {
	last := final.FindStringSubmatch(answer)
	if last == nil {
		return "", false
	}
	if found := goingOn.FindStringSubmatch(text); found != nil {
		return strings.TrimSpace(last[1] + " " + found[1] + " " + found[2]), found[2] != "" || strings.HasSuffix(found[1], "ed")
	}
	found := doing.FindStringSubmatch(text)
	if found == nil {
		return "", false
	}
	verb, by := found[1]+found[3], found[2]+found[4]
	switch verb {
	case "double", "triple", "half":
		return verb + " " + last[1], true
	case "halve":
		return "half " + last[1], true
	case "square":
		return last[1] + " squared", true
	}
	sign := map[string]string{"add": " plus ", "subtract": " minus ", "multiply": " times ", "divide": " divided by "}[verb]
	return last[1] + sign + by, by != ""
}
