package skills

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDigits(t *testing.T) {
	for words, want := range map[string]string{
		"twelve times seven":                           "12 times 7",
		"a hundred and forty four":                     "144",
		"one hundred and five point two":               "105.2",
		"three thousand six hundred and eighty four":   "3684",
		"two million three hundred thousand":           "2300000",
		"1.5 million":                                  "1500000",
		"nineteen ninety nine":                         "1999",
		"twenty twenty six":                            "2026",
		"fourteen hundred":                             "1400",
		"five six and seven":                           "5 6 and 7",
		"sum of twenty one and thirty":                 "sum of 21 and 30",
		"two and a half":                               "2.5",
		"3 and three quarters":                         "3.75",
		"point five":                                   "0.5",
		"three point one four":                         "3.14",
		"three point oh five":                          "3.05",
		"two point twenty five":                        "2.25",
		"a dozen eggs and two dozen more":              "12 eggs and 24 more",
		"minus five":                                   "minus 5",
		"five foot seven":                              "5 foot 7",
		"a thousand times a thousand":                  "1000 times 1000",
		"and a point in a hundred and":                 "and a point in 100 and",
		"one hundred two hundred":                      "100 200",
		"thousand thousand":                            "1000 1000",
		"two hundred and fifty thousand and sixty one": "250061",
	} {
		require.Equal(t, want, digits(words), words)
	}
}

func TestNormalize(t *testing.T) {
	for text, want := range map[string]string{
		"What’s 15% of 1,000,000?":       "what is 15 percent of 1000000",
		"12x7=":                          "12 x 7 =",
		"It’s twenty-one o'clock, Echo!": "it is twenty one oclock echo",
		"Anna's birthday on 2026-03-04":  "anna birthday on 4 march 2026",
		"100 km/h → mph; 20°C":           "100 kph mph 20 celsius",
		"the 4th, a 3.5 and .5":          "the 4th a 3.5 and .5",
		"\xff\xfe":                       "",
	} {
		require.Equal(t, want, normalize(text), text)
	}
}

func TestSensible(t *testing.T) {
	for value, want := range map[float64]string{
		84: "84", 5280.000000001: "5280", 6.2137: "6.21", 154.32: "154.3", 0.142857: "0.143", 12345.67: "12346", 2.50: "2.5", 0: "0", 1e20: "1e+20", 0.00012345: "0.000123",
	} {
		text, _ := sensible(value)
		require.Equal(t, want, text)
	}
}

func TestEveryPlaceHasAZone(t *testing.T) {
	found := newPlaces()
	require.Greater(t, len(found), 3000)
	for name, where := range found {
		require.NotEmpty(t, where.zone, name)
		require.NotEmpty(t, where.name, name)
	}
}

func FuzzDigits(f *testing.F) {
	f.Add("two hundred and fifty thousand point five and a half")
	f.Add("minus a dozen trillion trillion 99999999999999999999 point")
	f.Fuzz(func(t *testing.T, text string) {
		out := digits(text)
		require.NotContains(t, out, "NaN")
		require.Equal(t, strings.Join(strings.Fields(out), " "), out)
	})
}

// TestPastedPageIsNoSum gives the skills a page of figures with brackets that never close: it must not take minutes.
func TestPastedPageIsNoSum(t *testing.T) {
	_, found := within(strings.Repeat("( 1 + 2 * ", 2000) + "3")
	require.False(t, found)
}
