package filter

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAPauseFollowsWhatWasSaid(t *testing.T) {
	for want, texts := range map[float64][]string{
		Short: {
			"What is the capital of France?", "How far is the moon from the earth?", "Tell me a short joke about computers.", "Who wrote Romeo and Juliet?", "Stop.", "Okay, never mind.",
			"What is seventeen times twenty three?", "Is it going to rain tomorrow?",
		},
		Long: {
			"My name is", "My name is.", "What is the", "I'm looking for", "Can you tell me", "Remind me to", "The tallest", "What is the tallest", "Set a timer for", "Hey Echo.",
			"My number is five five five", "It's 0171", "I think that, um", "We went to Paris and", "because", "What is twelve times", "How many", "Add milk, eggs and", "My name is,",
		},
		1: {"", "Yes.", "Why?", "John", "My name is John.", "Where are you from?", "What is it for?", "Turn off the lights.", "[cough]", "What is 12?", "我们去公园"},
	} {
		for _, text := range texts {
			require.InDelta(t, want, Pause(text), 1e-9, text)
		}
	}
}
