package httpapi

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheDescriptionHasEveryCall(t *testing.T) {
	text, err := os.ReadFile("../../docs/api/openapi.yaml")
	require.NoError(t, err)
	described := map[string][]string{}
	path := ""
	for line := range strings.SplitSeq(string(text), "\n") {
		if found := regexp.MustCompile(`^  (/\S*):$`).FindStringSubmatch(line); found != nil {
			path = found[1]
		}
		if found := regexp.MustCompile(`^    (get|post|patch|delete|put):$`).FindStringSubmatch(line); found != nil {
			described[path] = append(described[path], strings.ToUpper(found[1]))
		}
	}
	delete(described, "/healthz")
	served := map[string][]string{}
	for path, handlers := range New(Config{}, Ports{}).routes() {
		served[path] = slices.Collect(maps.Keys(handlers))
	}
	for path := range served {
		slices.Sort(served[path])
		slices.Sort(described[path])
	}
	require.Equal(t, served, described)
}
