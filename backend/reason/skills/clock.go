package skills

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"
)

var (
	// timeAsked is a question for the time and nothing else, once a place at its end is taken off.
	timeAsked = regexp.MustCompile(`^(?:check |read |me |see |what is |what |which |the |a )*(?:current |local |exact |correct |right )*(?:time|hour|clock)(?: zone)?(?: (?:is|would|will|does|do|did|have|has|got|say|says|it|be|you|they|we|there|here|now|right|currently|over|today|exactly|please|the|clock|on|your))*$`)
	timeOther = regexp.MustCompile(`^(?:got the time|i (?:have )?lost track of time(?: what is it)?|have you got the time|do you have the time|you have the time|(?:what does |what is )?the clock(?: say| says)?|what the clock says?|how late (?:is it|it is)(?: there)?|is it (?:past|after|before|still before|already past) (?:noon|midnight|\w+)(?: yet| already| oclock)?|is it (?:still |already )?(?:late|early|dark|light|morning|night|evening|afternoon|noon|midnight|daytime|day|night time|nighttime)(?: yet| already| there| over there)?|what hour (?:is it|it is)|it is what time)$`)
	// placed takes a place's words off: they are found by themselves.
	timeExact = regexp.MustCompile(`\bwhat (?:time (?:is it|it is|would it be)|is the (?:local )?time)\b`)
	timeWord  = regexp.MustCompile(`\b(?:time|clock|hour|late|early|morning|night|evening|afternoon|oclock|midnight|noon|dark)\b`)
	gapAsked  = regexp.MustCompile(`\btime difference\b|\bhours? (?:ahead|behind|apart|difference)\b|\bdifference (?:in time|of time)\b`)
	otherTime = regexp.MustCompile(`\b(?:close|closes|open|opens|start|starts|begin|begins|leave|leaves|depart|departs|arrive|arrives|end|ends|meeting|flight|train|bus|appointment|born|built|invented|write|poem|limerick|story|joke|timer|alarm|my|our|should|first time|last time|how many times?|wake|weather|long|best|live|people|population|who|why|difference between)\b`)
)

// clock answers what time it is, here or in a place.
func (r *Reasoner) clock(q question) (plan, bool) {
	where, unknown := r.places.find(q.text)
	if gapAsked.MatchString(q.text) {
		return timeGap(r.places.all(q.text))
	}
	if len(where) > 0 && timeExact.MatchString(q.text) && len(strings.Fields(q.text)) <= 18 {
		return timeAt(where[0]), true
	}
	if otherTime.MatchString(q.text) {
		return plan{}, false
	}
	if timeAsked.MatchString(q.text) || timeOther.MatchString(q.text) {
		return timeAt(place{}), true
	}
	if len(where) == 0 {
		return r.clockOf(q, unknown)
	}
	if !timeWord.MatchString(q.text) || len(strings.Fields(q.text)) > 18 {
		return plan{}, false
	}
	return timeAt(where[0]), true
}

// clockOf handles "tokyo time" and places that are not known.
func (r *Reasoner) clockOf(q question, unknown string) (plan, bool) {
	words := strings.Fields(q.text)
	for n := range words {
		where, took := r.places.at(words[n:])
		rest := strings.Join(append(append([]string{}, words[:n]...), words[n+max(took, 1):]...), " ")
		if took > 0 && timeAsked.MatchString(rest) {
			return timeAt(where), true
		}
	}
	if unknown == "" {
		return plan{}, false
	}
	before, _, _ := strings.Cut(q.text, " in ")
	if timeAsked.MatchString(before) || timeOther.MatchString(before) {
		return plan{intent: intentTime, text: fmt.Sprintf("I do not know a place called %q, so I cannot tell its time. Please name a larger city nearby or the country.", unknown)}, true
	}
	return plan{}, false
}

func timeAt(where place) plan {
	arguments := map[string]any{}
	if where.zone != "" {
		arguments["timezone"] = where.zone
	}
	return plan{intent: intentTime, calls: []call{{toolTime, arguments}}, compose: func(_ context.Context, results []result) string {
		now, ok := clockOf(results[0].text)
		if !ok {
			return failed("look at the clock", results[0].text)
		}
		if where.zone == "" {
			return fmt.Sprintf("It is %s.", now.Format("3:04 PM"))
		}
		return fmt.Sprintf("It is %s on %s in %s.", now.Format("3:04 PM"), now.Format("Monday"), where.name)
	}}
}

// timeGap tells how far two places' clocks are apart, or one's from here.
func timeGap(where []place) (plan, bool) {
	if len(where) == 0 {
		return plan{}, false
	}
	if len(where) == 1 {
		where = append(where, place{name: "here"})
	}
	calls := make([]call, 2)
	for n := range calls {
		calls[n] = timeAt(where[n]).calls[0]
	}
	return plan{intent: intentTime, calls: calls, compose: func(_ context.Context, results []result) string {
		first, ok1 := clockOf(results[0].text)
		second, ok2 := clockOf(results[1].text)
		if !ok1 || !ok2 {
			return failed("look at the clocks", results[0].text+" "+results[1].text)
		}
		_, a := first.Zone()
		_, b := second.Zone()
		return gap(where[0].name, where[1].name, time.Duration(a-b)*time.Second)
	}}, true
}

func gap(first, second string, ahead time.Duration) string {
	first = capital(first)
	if ahead == 0 {
		return fmt.Sprintf("%s and %s have the same time now.", first, second)
	}
	word := "ahead of"
	if ahead < 0 {
		word, ahead = "behind", -ahead
	}
	if second == "here" {
		second = "the time here"
	}
	return fmt.Sprintf("%s is %s %s %s now.", first, plural(ahead.Hours(), "hour"), word, second)
}

// stamp is how the clock's tool writes a moment.
var stamp = regexp.MustCompile(`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})`)

// clockOf reads what the clock's tool said.
func clockOf(text string) (time.Time, bool) {
	moment, err := time.Parse(time.RFC3339Nano, stamp.FindString(text))
	return moment, err == nil
}
