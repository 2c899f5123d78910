//go:build production && cgo && linux

package suite_test

import (
	"testing"

	"echo-companion/backend/acoustics"
	"echo-companion/backend/filter"
)

var replies = []string{
	"The capital of France is Paris. It lies on the river Seine, and about two million people live there.",
	"I can tell the time, do arithmetic, search your notes and your earlier chats, and answer questions about files in your folder.",
	"Twelve times seven is eighty-four. Would you like me to show how it is worked out?",
	"The sky is blue because the air scatters short waves of light more than long ones, and our eyes see more of the blue.",
	"The day after tomorrow is Thursday. You have two meetings in the afternoon, and nothing in the morning.",
	"Mount Everest is the tallest mountain in the world. It is eight thousand eight hundred and forty-nine metres high.",
	"Here is what I found in your notes: the train leaves at six twenty from platform nine, and the tickets are in the blue bag.",
	"A sonnet has fourteen lines. Shakespeare wrote one hundred and fifty-four of them, most about love and about time.",
	"To boil an egg, bring water to the boil, lay the egg in with a spoon, and wait for seven minutes. Then cool it under cold water.",
	"The moon is about three hundred and eighty-four thousand kilometres away. Light takes a little more than a second.",
}

var questions = []string{
	"What is the capital city of Australia?", "How far is the moon from the earth?", "What time is it in Tokyo right now?",
	"Who wrote the play Romeo and Juliet?", "What is seventeen times twenty three?", "Why is the sky blue during the day?",
	"How many planets are there in the solar system?", "Tell me a short joke about computers.", "What meetings do I have on Thursday afternoon?",
	"Remind me to call my mother at six this evening.",
}

func TestProbe(t *testing.T) {
	detector, ear := started(t, "listen"), started(t, "recognize")
	s := newStudio(t)
	sent, asked, all := 0, 0, 0
	kept := 0
	n := 0
	for _, room := range []string{"booth", "study", "office"} {
		for _, delay := range []float64{0.04, 0.12, 0.25} {
			for _, drive := range []float64{0.1} {
				n++
				text := replies[n%len(replies)]
				q := questions[n%len(questions)]
				voice := []string{"piper-jenny", "piper-alan"}[n%2]
				asking := voices()[n%7]
				sc := scene{
					room: room, distance: 0.6, delay: delay, drive: drive, seconds: 9, detector: detector,
					noise: acoustics.Noise(acoustics.Fan, 11*rate, rate, 0.001, uint64(n)),
					echo:  []sound{{1, s.speak(t, voice, text, wide)}},
				}
				st := sc.play(t)
				all++
				for _, u := range st.utterances {
					heard, err := ear.recognize(u.pcm)
					verdict := filter.Judge(filter.Utterance{Text: heard, Overlap: u.overlap, Recent: []string{text}})
					t.Logf("OWN %s %.2f: %.2f-%.2f ended %v %q %s %v", room, delay, u.from, u.to, u.ended, heard, verdict, err)
					if u.ended {
						sent++
						if verdict == filter.Question {
							asked++
						}
					}
				}
				at := []float64{1.4, 2.5, 4}[n%3]
				sc.user = []sound{{at, s.speak(t, asking, q, rate)}}
				st = sc.play(t)
				found := false
				for _, u := range st.utterances {
					heard, err := ear.recognize(u.pcm)
					verdict := filter.Judge(filter.Utterance{Text: heard, Overlap: u.overlap, Recent: []string{text}})
					t.Logf("USER %s %.2f %s: %.1f: %.2f-%.2f ended %v %q %s %v", room, delay, asking, at, u.from, u.to, u.ended, heard, verdict, err)
					found = found || verdict == filter.Question && u.ended
				}
				if found {
					kept++
				} else {
					t.Logf("LOST %s %.2f %s %.1f %q", room, delay, asking, at, q)
				}
			}
		}
	}
	t.Logf("%d replies, %d sent, %d asked; %d kept", all, sent, asked, kept)
}
