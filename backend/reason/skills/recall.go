package skills

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

var (
	askedBefore = regexp.MustCompile(`^(?:what (?:was|is) (?:it )?(?:that )?(?:(?:my|the) (?:last|previous|latest|most recent|prior) (?:question|request|query)|the question(?: again| i asked)?|i (?:just |last )?(?:asked|said)(?: you)?)|` +
		`what (?:did|have) i (?:just |last |only )*(?:ask|asked|say|said|request|want to know)(?: you)?(?: (?:just|before|last|a (?:moment|second|minute) ago|earlier|right|now|about|to you|for))*|` +
		`(?:repeat|say) (?:back )?(?:my (?:last )?question|what i (?:just )?(?:asked|said)(?: you)?)|what i (?:just |last )?(?:said|asked)(?: you)?(?: (?:a (?:moment|second|minute) ago|before|just|last|earlier))*|my last question|(?:what was )?the (?:thing|question) i (?:just |last )?(?:asked|said)(?: you)?(?: (?:just|before|last))*|i (?:have forgotten) what i (?:just )?(?:asked|said)(?: you)?)$`)
	saidBefore = regexp.MustCompile(`^(?:(?:again )?what you (?:just |last )?(?:said|told me|answered)(?: again)?|what (?:did|have) you (?:just |last )?(?:say|said|tell me|answer|answered|told me)(?: (?:just|again|to me|last|a (?:moment|second|minute) ago|earlier))*|what (?:was|is) (?:it )?(?:that )?(?:you (?:just |last )?(?:said|told me|say)|(?:your|the) (?:last|previous|latest) (?:answer|reply|response|thing you said|sentence|message)|(?:your|the) (?:answer|reply|response)|the last thing you (?:said|told me)|the answer again)(?: again)?|` +
		`(?:i )?(?:can )?(?:you )?(?:repeat|say)(?: (?:that|it|this|your (?:last )?(?:answer|reply)|what you (?:just )?said|yourself|the (?:last )?answer|the last (?:thing|part)|that last bit))*(?: (?:again|one more time|once more|please|louder|slower))*|` +
		`(?:come again|pardon|pardon me|what was that|huh|once more|one more time|again|i (?:did not|could not|can not) (?:catch|hear|understand|get)(?: (?:that|you|it|what you said))?|i missed (?:that|it)|what))$`)
	furtherBack = regexp.MustCompile(`\b(?:before that|before the last|second to last|second last|last but one|the one before|previous to that|two questions ago|before this)\b`)
	firstThing  = regexp.MustCompile(`\bfirst (?:thing|question)\b|\bi (?:ask|asked|say|said)(?: you)? first\b|\bstarted? (?:with|this conversation)\b|\bat the (?:start|beginning)\b`)
	topics      = regexp.MustCompile(`^(?:what (?:were|are|was|have|did) (?:we|i) (?:just |been )*(?:talking|talked|talk|speaking|discussing|discuss|discussed|asked|asking|ask|say|said|on)(?: you)?(?: (?:about|so far|today|just|now|before|earlier|until now|up to now|in this conversation|in this chat|here))*|` +
		`what (?:is|was) (?:this|our|the) (?:conversation|chat) (?:been )?(?:about|on)|summarize (?:this|our|the) (?:conversation|chat)|where were we|(?:list|read) (?:all )?my (?:questions|last questions)(?: so far)?|what have i asked(?: you)?(?: so far)?)$`)
	recallWord = regexp.MustCompile(`\b(?:i|me|my|you|your|we|question|answer)\b`)
)

// recall answers about what was said earlier in this conversation.
func recall(q question) (plan, bool) {
	text := q.text
	if strings.Contains(text, " about ") && !topics.MatchString(text) {
		return plan{}, false // what was said about something is looked up
	}
	switch {
	case firstThing.MatchString(text) && recallWord.MatchString(text):
		return q.first(), true
	case furtherBack.MatchString(text) && recallWord.MatchString(text):
		return q.back(2, strings.Contains(text, "you say") || strings.Contains(text, "you said") || strings.Contains(text, "you tell") || strings.Contains(text, "answer")), true
	case askedBefore.MatchString(text):
		return q.back(1, false), true
	case topics.MatchString(text):
		return q.topics(), true
	case saidBefore.MatchString(text):
		return q.back(1, true), true
	}
	return plan{}, false
}

const nothingBefore = "There is nothing before that in this conversation."

// back tells the question, or the answer, so many exchanges ago. What stands in the request is known without a tool; where it does
// not, the tool reads the chat.
func (q question) back(steps int, answered bool) plan {
	at := len(q.earlier) - steps
	if at < 0 {
		return plan{intent: intentEarlier, text: nothingBefore}
	}
	if answered {
		if q.earlier[at].answer == "" {
			return plan{intent: intentEarlier, text: "I had not answered that yet."}
		}
		return plan{intent: intentEarlier, text: "I said: " + quote(q.earlier[at].answer)}
	}
	return plan{intent: intentEarlier, text: "You asked: " + quote(q.earlier[at].question)}
}

// topics tells the last questions.
func (q question) topics() plan {
	const most = 3
	if len(q.earlier) == 0 {
		return plan{intent: intentEarlier, text: nothingBefore}
	}
	var asked []string
	for _, e := range q.earlier[max(0, len(q.earlier)-most):] {
		asked = append(asked, quote(e.question))
	}
	if len(asked) == 1 {
		return plan{intent: intentEarlier, text: "So far you asked " + asked[0] + "."}
	}
	last := len(asked) - 1
	return plan{intent: intentEarlier, text: "You asked " + strings.Join(asked[:last], ", ") + " and " + asked[last] + "."}
}

// first tells how the conversation began. Its start may be long out of the request, so the chat's history is read.
func (q question) first() plan {
	return plan{intent: intentEarlier, calls: []call{{toolHistory, map[string]any{"from": 1, "to": 4}}}, compose: func(_ context.Context, results []result) string {
		if text := firstQuestion(results[0].text); text != "" {
			return "The first thing you asked was: " + quote(text)
		}
		if len(q.earlier) > 0 {
			return "The first thing that I still have is: " + quote(q.earlier[0].question)
		}
		return nothingBefore
	}}
}

// userLine is a message of the user in what the history's tool gives: "1. user: Hello".
var userLine = regexp.MustCompile(`(?m)^\d+\. user(?: \(\w+\))?: (.+)$`)

// firstQuestion finds the first thing that the user said in a part of the history.
func firstQuestion(text string) string {
	if found := userLine.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}

// smallTalk answers greetings, thanks and questions about Echo itself.
func smallTalk(q question) (plan, bool) {
	text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(q.full, " echo"), " there"))
	switch {
	case greeting.MatchString(text):
		return plan{intent: intentGreeting, text: welcome(text) + " What can I do for you?"}, true
	case gratitude.MatchString(q.full):
		return plan{intent: intentThanks, text: "You are welcome."}, true
	case helpAsked.MatchString(q.text), helpAsked.MatchString(q.full):
		return plan{intent: intentHelp, text: introduction(q.text) + helpText}, true
	}
	return plan{}, false
}

// welcome answers a greeting in kind.
func welcome(text string) string {
	if part := dayPart.FindString(text); part != "" {
		return capital(part) + "."
	}
	if strings.Contains(text, "how ") {
		return "I am well, thank you."
	}
	return "Hello."
}

// introduction says who Echo is where that was asked.
func introduction(text string) string {
	if strings.HasPrefix(text, "who are") || text == "what are you" || text == "introduce yourself" || text == "what is echo" {
		return "I am Echo, and I answer on this machine. "
	}
	return ""
}

var (
	dayPart   = regexp.MustCompile(`good (?:morning|afternoon|evening|day)`)
	greeting  = regexp.MustCompile(`^(?:(?:hello|hi|hiya|hey|hallo|howdy|yo|greetings|welcome back|good (?:morning|afternoon|evening|day)|hey echo|hi echo|hello echo|morning|evening|there|echo|again|everyone|my friend|how are you(?: doing)?(?: today)?|how is it going|how do you do|what is up|nice to meet you|are you there|you there|can you hear me) ?)+$`)
	gratitude = regexp.MustCompile(`^(?:(?:ok|okay|great|cool|nice|perfect|awesome|good|wonderful|excellent|brilliant|lovely|amazing|well done|good job|cheers|thanks|thank you|thx|ta|that is (?:great|all|it|helpful|good|perfect)|that was (?:helpful|great|good|all|perfect)|very much|so much|a lot|a bunch|many|echo|much appreciated|i appreciate it|for (?:your|the) help|for that|for helping|really|very|helpful|no|great job) ?)+$`)
	helpAsked = regexp.MustCompile(`^(?:help(?: me)?|what (?:all |else |exactly )*(?:can|could|else can) (?:you|i|we) (?:do|ask|say|help(?: me)? with|ask you|say to you|talk about)(?: for me| with you| here)?|what (?:you can|can you) do|what (?:are|is) you(?:r)? ?(?:able to do|capable of|skills?|abilities|features|good at|good for|purpose|commands)?|` +
		`(?:what|which) (?:kind|kinds|sort|sorts|type|types) of (?:things|questions|stuff) (?:can|could|do|may) (?:i|you) (?:ask|do|answer|say|know|understand|help with)(?: you)?|how (?:can|could|do) you (?:help|assist|work)(?: me)?(?: what can you help me with)?|what can you help(?: me)? with|what do you (?:know|do|know how to do)|` +
		`who are you|what questions can (?:i ask|you answer)(?: you)?|how (?:does this|do i use you|does echo|do you) work(?:s)?|how do i use (?:you|this|echo)|list (?:your )?(?:commands|skills|features)|what is echo|introduce yourself|what are the (?:commands|options))$`)
)

const helpText = "I can tell the time and the date, here and in other cities, count the days to a date, work out sums and percentages, convert units, " +
	"repeat what was said, and look things up in your notes and earlier chats. " +
	"For example, ask: what is 15 percent of 80, how many feet are in a mile, or what did I write about the garden. " +
	"For everything else I need a model: run Ollama with a model on this machine, or enter an OpenAI-compatible server's address in Settings."

const needsModel = "run Ollama with a model on this machine, or enter the address of an OpenAI-compatible server in Settings."

// withoutModel is the answer to what no skill understands.
func withoutModel() plan {
	return plan{intent: intentNone, text: "I cannot answer that without a model. There are two ways to give me one: " + needsModel}
}

// nothingFound is the answer to what might have been in the notes and is not.
func nothingFound(where string) string {
	return fmt.Sprintf("I looked in %s and found nothing that fits, and I cannot answer that without a model. There are two ways to give me one: %s", where, needsModel)
}
