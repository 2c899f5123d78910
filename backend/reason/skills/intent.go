package skills

import (
	"context"
	"strings"
)

// intent is what a question is about.
type intent string

// The intents. None is what no skill understands.
const (
	intentTime     intent = "time"
	intentDate     intent = "date"
	intentMath     intent = "math"
	intentPercent  intent = "percent"
	intentUnits    intent = "units"
	intentEarlier  intent = "earlier"
	intentAsked    intent = "asked" // the question before, as an example's intent
	intentSaid     intent = "said"  // the answer before, as an example's intent
	intentNotes    intent = "notes"
	intentChats    intent = "chats"
	intentGreeting intent = "greeting"
	intentThanks   intent = "thanks"
	intentHelp     intent = "help"
	intentNone     intent = "none"
	intentSum      intent = "sum" // what has to be reckoned, as an example's intent: patterns alone read it
)

// plan finds how a question is answered: by patterns, in an order in which the narrow come first; then by likeness with kept examples;
// then by what may be in the notes.
func (r *Reasoner) plan(ctx context.Context, q question) (plan, error) {
	if strings.TrimSpace(q.text) == "" {
		return plan{intent: intentNone, text: "I did not hear a question. Please ask me again."}, nil
	}
	for _, skill := range []func(question) (plan, bool){
		smallTalk, recall, percentages, r.units.conversion, r.calendar, r.clock, r.sums.answer, r.lookUp,
	} {
		if found, ok := skill(q); ok {
			return found, nil
		}
	}
	if found, ok := r.follow(q); ok {
		return found, nil
	}
	alike, err := r.meaning.of(ctx, q)
	if err != nil {
		return plan{}, err
	}
	if found, ok := r.like(q, alike); ok {
		return found, nil
	}
	if found, ok := r.perhaps(q); ok && alike != intentNone {
		return found, nil
	}
	return withoutModel(), nil
}

// like answers a question whose meaning is that of an intent's examples, with what it needs from the question's words.
func (r *Reasoner) like(q question, as intent) (plan, bool) {
	if (as == intentTime || as == intentDate) && (q.hasWord("my", "our", "mine", "ours", "he", "she", "they") || otherTime.MatchString(q.text)) {
		return plan{}, false // "what time is my flight" is not for the clock
	}
	switch as {
	case intentTime:
		where, _ := r.places.find(q.text)
		if len(where) > 0 {
			return timeAt(where[0]), true
		}
		return timeAt(place{}), true
	case intentDate:
		if relative, ok := relativeDay(q.digits); ok {
			return onDay(place{}, sayDay(relative)), true
		}
		return onDay(place{}, sayToday), true
	case intentEarlier:
		return q.topics(), true
	case intentAsked:
		return q.back(1, false), true
	case intentSaid:
		return q.back(1, true), true
	case intentGreeting:
		return plan{intent: intentGreeting, text: "Hello. What can I do for you?"}, true
	case intentThanks:
		return plan{intent: intentThanks, text: "You are welcome."}, true
	case intentHelp:
		return plan{intent: intentHelp, text: helpText}, true
	case intentNotes, intentChats:
		return r.search(q, anyOf), true
	case intentSum, intentMath, intentPercent, intentUnits, intentNone: // they need their numbers, which patterns read
	}
	return plan{}, false
}
