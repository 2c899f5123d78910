package refusal_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/refusal"
)

func TestTheWordsOfAServerAreFoundInEveryShape(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"message":"No such model.","code":404}}`: "No such model",
		`{"error":"No such model"}`:                         "No such model",
		`{"detail":"No such model."}`:                       "No such model",
		`{"detail":{"message":"No such model"}}`:            "No such model",
		`{"object":"error","message":"No such model"}`:      "No such model",
		`{"error":null}`:                                    "",
		`{}`:                                                "",
		"no such\n  model. ":                                "no such model",
		"<!doctype html><h1>404</h1>":                       "",
		"\xff":                                              "\uFFFD",
		"":                                                  "",
		strings.Repeat("é", 300):                            strings.Repeat("é", 200) + "…",
	} {
		require.Equal(t, want, refusal.Short(refusal.Words([]byte(body))), body)
	}
}
