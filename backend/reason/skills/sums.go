package skills

import (
	"context"
	"regexp"
	"strconv"
	"strings"
)

// num is a number in a rule.
const num = `(-?\d+(?:\.\d+)?)`

// rewrite is a rule that turns words into an expression.
type rewrite struct {
	pattern *regexp.Regexp
	into    string
}

func rules(pairs ...string) []rewrite {
	out := make([]rewrite, 0, len(pairs)/2)
	for n := 0; n+1 < len(pairs); n += 2 {
		out = append(out, rewrite{regexp.MustCompile(strings.ReplaceAll(pairs[n], "NUM", num)), pairs[n+1]})
	}
	return out
}

// sums reads sums by rules for what stands anywhere in a question, and for whole questions.
type sums struct {
	anywhere, whole []rewrite
	infix           *strings.Replacer // words between numbers as signs
}

func newSums() sums {
	anywhere := rules(
		`\b(?:cube|cubic|third|3rd) root (?:of )?NUM`, "cbrt($1)",
		`\b(?:positive )?square root (?:of )?NUM`, "sqrt($1)",
		`\b(?:square )?root of NUM`, "sqrt($1)",
		`\b(?:square of|squared?) NUM$`, "$1^2",
		`\bcube of NUM`, "$1^3",
		`NUM (?:squared?|to the square)\b`, "$1^2",
		`NUM (?:cubed?|to the cube)\b`, "$1^3",
		`NUM (?:raised )?to (?:the )?(?:power of |power )NUM`, "$1^$2",
		`NUM (?:raised )?to (?:the )?(\d+)(?:st|nd|rd|th)(?: power)?\b`, "$1^$2",
		`NUM (?:raised )?to (?:the )?(?:second|2nd) power\b`, "$1^2",
		`NUM (?:raised )?to (?:the )?(?:third|3rd) power\b`, "$1^3",
		`NUM (?:raised )?to (?:the )?(?:fourth|4th) power\b`, "$1^4",
		`NUM (?:raised )?to (?:the )?(?:fifth|5th) power\b`, "$1^5",
		`\b(?:half|1 half) (?:of )?NUM`, "($1/2)",
		`\b(?:double|twice|2 times) NUM`, "(2*$1)",
		`\b(?:triple|thrice) NUM`, "(3*$1)",
		`\b(?:a |1 )?(?:3rd|third) of NUM`, "($1/3)",
		`\b(?:a |1 )?(?:4th|quarter|fourth) of NUM`, "($1/4)",
		`\b(?:a |1 )?(?:5th|fifth) of NUM`, "($1/5)",
		`\b(?:a |1 )?(?:6th|sixth) of NUM`, "($1/6)",
		`\b(?:a |1 )?(?:8th|eighth) of NUM`, "($1/8)",
		`\b(?:a |1 )?(?:10th|tenth) of NUM`, "($1/10)",
		`\b(\d+) (?:3rds|thirds) of NUM`, "($2*$1/3)",
		`\b(\d+) (?:4ths|quarters|fourths) of NUM`, "($2*$1/4)",
		`\b(\d+) (?:5ths|fifths) of NUM`, "($2*$1/5)",
		`NUM percent of NUM`, "($1/100*$2)",
		`\b(?:the )?remainder (?:of|when|if) (?:you divide )?NUM (?:divided|is divided)? ?by NUM`, "mod($1,$2)",
		`NUM (?:mod|modulo|modulus) NUM`, "mod($1,$2)",
	)
	whole := rules(
		`(?:^|^\D* )(?:add|adding) (?:up )?NUM (?:and|to|plus|with) NUM$`, "$1+$2",
		`^NUM added to NUM$`, "$2+$1",
		`^NUM and NUM(?: (?:make|makes|is|are|added|together|combined|in total|added together|summed up))+$`, "$1+$2",
		`(?:^|^\D* )(?:subtract|subtracting|take|taking|deduct) NUM (?:away )?from NUM$`, "$2-$1",
		`^(?:subtract|take|deduct) NUM away from NUM$`, "$2-$1",
		`^(?:take|have) NUM (?:and )?(?:take away|subtract|minus) NUM$`, "$1-$2",
		`^NUM (?:subtracted|taken) (?:away )?from NUM$`, "$2-$1",
		`(?:^|^\D* )(?:multiply|multiplying) NUM (?:by|with|and|times) NUM$`, "$1*$2",
		`(?:^|^\D* )(?:divide|dividing) NUM by NUM$`, "$1/$2",
		`^divide NUM into NUM$`, "$2/$1",
		`^product of NUM and NUM$`, "$1*$2",
		`^quotient of NUM and NUM$`, "$1/$2",
		`^(?:ratio of )NUM (?:to|and) NUM$`, "$1/$2",
		`^how many times does NUM (?:go|fit) into NUM$`, "$2/$1",
	)
	infix := strings.NewReplacer(" plus ", " + ", " minus ", " - ", " times ", " * ", " multiplied by ", " * ", " multiplied with ", " * ", " x ", " * ", " divided by ", " / ",
		" over ", " / ", " less ", " - ", " take away ", " - ", " added to ", " + ", " by ", " * ", " open bracket ", " ( ", " close bracket ", " ) ", " open parenthesis ", " ( ", " close parenthesis ", " ) ")
	return sums{anywhere, whole, infix}
}

var (
	sumLead = regexp.MustCompile(`^(?:what is|what are|what does|what do|what would|what|how much is|how much are|how much does|how much do|how much|how many is|how many are|calculate|compute|work out|figure out|solve|evaluate|find out|find|count|` +
		`you get if you|you get when you|i get if i|i get when i|if you|if i|when i|when you|if we|the result of|the value of|the answer to|result of|value of|the|is|do you get|do i get|get|me|that is|it is|help me with|do the math) `)
	sumTail  = regexp.MustCompile(` (?:equal to|equals?|equal|makes?|give|gives|is|are|be|come to|=|what|how many|how much|that|it|in total|altogether|together|do|result|answer|what is|work out)$`)
	listed   = regexp.MustCompile(`^(sum of|total of|average of|mean of|product of|add|add up|add together|sum up) ((?:(?:and )?-?\d+(?:\.\d+)?(?: |$)){2,})$`)
	distance = regexp.MustCompile(`^difference between ` + num + ` and ` + num + `$`)
	signs    = regexp.MustCompile(`[-+*/^]|sqrt|cbrt|mod`)
	figure   = regexp.MustCompile(`\d`)
)

// sum is something to calculate and how it is said.
type sum struct{ expression, said string }

// frame takes off what stands around a sum.
func frame(text string) string {
	for {
		next := sumTail.ReplaceAllString(sumLead.ReplaceAllString(text, ""), "")
		if next == text {
			return text
		}
		text = next
	}
}

// read finds a sum that is all of a question, or that stands in it.
func (s sums) read(text string) (sum, bool) {
	if !figure.MatchString(text) || len(text) > 400 {
		return sum{}, false
	}
	framed := frame(text)
	if found, ok := readList(framed); ok {
		return found, true
	}
	if found := distance.FindStringSubmatch(framed); found != nil {
		first, _ := strconv.ParseFloat(found[1], 64)
		second, _ := strconv.ParseFloat(found[2], 64)
		return sum{format(max(first, second)) + "-" + format(min(first, second)), "the difference between " + found[1] + " and " + found[2]}, true
	}
	for _, rule := range s.whole {
		for _, part := range []string{framed, sumLead.ReplaceAllString(text, "")} {
			if rule.pattern.MatchString(part) {
				expression := rule.pattern.ReplaceAllString(part, rule.into)
				return sum{expression, pronounce(expression)}, true
			}
		}
	}
	written := framed
	for _, rule := range s.anywhere {
		written = rule.pattern.ReplaceAllString(written, rule.into)
	}
	written = strings.TrimSpace(s.infix.Replace(s.infix.Replace(" " + written + " ")))
	if expression := strings.ReplaceAll(written, " ", ""); signs.MatchString(expression) && wellFormed(written) {
		return sum{unmod(expression), pronounce(framed)}, true
	}
	return within(written)
}

// readList reads the sum, the product or the average of several numbers.
func readList(text string) (sum, bool) {
	found := listed.FindStringSubmatch(strings.TrimPrefix(text, "the "))
	if found == nil {
		return sum{}, false
	}
	numbers := strings.Fields(strings.ReplaceAll(found[2], "and ", ""))
	kind, _, isOf := strings.Cut(found[1], " of")
	if !isOf {
		kind = "sum"
	}
	said := kind + " of " + strings.TrimSpace(found[2])
	switch kind {
	case "product":
		return sum{strings.Join(numbers, "*"), "the " + said}, true
	case "average", "mean":
		return sum{"(" + strings.Join(numbers, "+") + ")/" + strconv.Itoa(len(numbers)), "the " + said}, true
	}
	return sum{strings.Join(numbers, "+"), "the " + said}, true
}

// longestSum is how many tokens of a text are tried as one sum: to try them all would take minutes in a pasted page of figures.
const longestSum = 64

// within finds the longest sum inside a text, such as "six times twelve" at the end of a story; it needs an operator between numbers.
func within(text string) (sum, bool) {
	tokens := strings.Fields(text)
	best := ""
	for from := range tokens {
		if !figure.MatchString(tokens[from]) && tokens[from] != "(" {
			continue
		}
		for to := min(len(tokens), from+longestSum); to > from+2; to-- {
			part := strings.Join(tokens[from:to], " ")
			if from > 0 && goesOn(tokens[from-1]) || to < len(tokens) && goesOn(tokens[to]) {
				continue // a piece of a longer sum would have another result
			}
			if len(part) > len(best) && wellFormed(part) && strings.ContainsAny(part, "+*/^-") {
				best = part
			}
		}
	}
	if best == "" || dominated(text, best) {
		return sum{}, false
	}
	expression := unmod(strings.ReplaceAll(best, " ", ""))
	return sum{expression, pronounce(best)}, true
}

// goesOn tells whether a sum would go on with the token.
func goesOn(token string) bool {
	return isNumber(token) || strings.ContainsAny(token, "+*/^-()") || token == "percent" || token == "point"
}

// dominated tells whether a text is about something else than the sum in it.
func dominated(text, part string) bool {
	rest := strings.Fields(strings.Replace(text, part, "", 1))
	for _, word := range rest {
		switch word {
		case "who", "why", "when", "where", "date", "song", "movie", "score", "write", "poem", "percent", "room":
			return true
		}
	}
	return len(rest) > 14
}

var (
	modulo    = regexp.MustCompile(`mod\((-?[\d.]+),(-?[\d.]+)\)`)
	minusSign = regexp.MustCompile(`(^|[\d)a-z] ?)-`)
	timesSign = regexp.MustCompile(`\b(\d+) x (\d)`)
	bracketed = regexp.MustCompile(`\((-?[\d.]+)\)`)
	powers    = regexp.MustCompile(`\^(\d+)\b`)
)

// unmod writes the remainder as the calculator knows it.
func unmod(expression string) string { return modulo.ReplaceAllString(expression, "($1%$2)") }

// pronounce writes a sum as it is said.
func pronounce(text string) string {
	text = modulo.ReplaceAllString(text, "$1 modulo $2")
	text = powers.ReplaceAllString(text, " to the power of $1 ")
	text = strings.NewReplacer("*", " times ", "+", " plus ", "/", " divided by ", "^", " to the power of ", "=", " ", "sqrt(", "the square root of (", "cbrt(", "the cube root of (").Replace(text)
	text = minusSign.ReplaceAllString(text, "$1 minus ")
	text = timesSign.ReplaceAllString(text, "$1 times $2")
	text = bracketed.ReplaceAllString(text, "$1")
	text = strings.Join(strings.Fields(text), " ")
	if namedPart.MatchString(text) {
		text = "the " + text
	}
	return text
}

// namedPart begins what is said with an article.
var namedPart = regexp.MustCompile(`^(?:square root|cube root|root|remainder|product|quotient|ratio|square of|cube of|third|quarter|fifth|tenth)\b`)

// answer works sums out.
func (s sums) answer(q question) (plan, bool) {
	found, ok := s.read(q.digits)
	if !ok {
		return plan{}, false
	}
	return calculated(intentMath, found.expression, func(value string, about bool) string {
		return capital(found.said) + " " + is(about) + " " + value + "."
	}), true
}

// calculated is a plan for one sum.
func calculated(as intent, expression string, word func(value string, about bool) string) plan {
	return plan{
		intent: as,
		calls:  []call{{toolSum, map[string]any{"expression": expression}}},
		compose: func(_ context.Context, results []result) string {
			value, ok := outcome(results[0].text)
			if !ok {
				return failed("work that out", results[0].text)
			}
			return word(sensible(value))
		},
	}
}

func is(about bool) string {
	if about {
		return "is about"
	}
	return "is"
}
