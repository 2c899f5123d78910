package skills

import (
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// unitTable holds the units and their factors. They are written as expressions, so that the calculator and nobody else computes; the
// libraries there are convert by themselves.
//
//go:embed units.tsv
var unitTable string

// unit is a unit of measure.
type unit struct {
	kind, factor string
	one, many    string
}

// units finds units by each of their names. A name may stand for several, as ounce does for a mass and a volume.
type units map[string][]unit

func newUnits() units {
	table := units{}
	for line := range strings.Lines(unitTable) {
		cells := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(cells) < 4 || strings.HasPrefix(line, "#") {
			continue
		}
		u := unit{kind: cells[0], factor: cells[1], one: cells[2], many: cells[3]}
		names := []string{strings.ToLower(u.one), strings.ToLower(u.many)}
		if len(cells) > 4 {
			names = append(names, strings.Split(cells[4], ", ")...)
		}
		for _, name := range names {
			if list := table[name]; len(list) == 0 || list[len(list)-1] != u {
				table[name] = append(list, u)
			}
		}
	}
	return table
}

// mention is a unit in a question.
type mention struct {
	units  []unit
	amount string // its number, empty where none stands before it
	said   string // amount and unit as they are told, where they are not one number and one unit
	lone   bool   // "a", "an" or "one" stands before it
	after  string // the word before the amount or, without one, before the unit
	from   int    // the words that it takes
	to     int
}

// mentions finds the units of a text, each with the number before it.
func (u units) mentions(text string) []mention {
	words := strings.Fields(text)
	var found []mention
	for n := 0; n < len(words); n++ {
		list, took := u.at(words, n)
		if took == 0 {
			continue
		}
		m := mention{units: list, from: n, to: n + took}
		before := n - 1
		switch {
		case before >= 1 && (words[before] == "a" || words[before] == "an") && words[before-1] == "half": // half a mile
			m.amount, m.from = "0.5", n-2
		case before >= 1 && isNumber(words[before]) && (words[before-1] == "-" || words[before-1] == "minus"):
			m.amount, m.from = "-"+words[before], before-1
		case before >= 0 && isNumber(words[before]):
			m.amount, m.from = words[before], before
		case before >= 0 && (words[before] == "a" || words[before] == "an" || words[before] == "per"):
			m.lone, m.from = true, before
		}
		if m.from > 0 {
			m.after = words[m.from-1]
		}
		m.fraction(words)
		found = append(found, m)
		n = m.to - 1
	}
	return found
}

// fraction reads "and a half" after a unit, and a number that goes on in the next smaller unit: "5 foot 7".
func (m *mention) fraction(words []string) {
	rest := strings.Join(words[m.to:], " ") + " "
	for said, part := range map[string]float64{"and a half ": 0.5, "and a quarter ": 0.25, "and 3 quarters ": 0.75} {
		if strings.HasPrefix(rest, said) && (m.amount != "" || m.lone) {
			whole := 1.0
			if !m.lone {
				whole, _ = strconv.ParseFloat(m.amount, 64)
			}
			m.amount, m.lone = format(whole+part), false
			m.to += 3
			return
		}
	}
	name := m.units[0].one
	if m.to >= len(words) || !isNumber(words[m.to]) || m.amount == "" || name != "foot" && name != "stone" {
		return
	}
	below, parts := "inches", "12"
	if name == "stone" {
		below, parts = "pounds", "14"
	}
	next := ""
	if m.to+1 < len(words) {
		next = words[m.to+1]
	}
	took := smaller(name, next)
	if took == 0 {
		return
	}
	m.said = m.amount + " " + m.units[0].many + " " + words[m.to] + " " + below
	m.amount = "(" + m.amount + "+" + words[m.to] + "/" + parts + ")"
	m.to += took
}

// smaller says how many words the rest of a height or a weight takes: 2 with its unit, 1 where anything else goes on, 0 where the
// number belongs to what follows.
func smaller(name, next string) int {
	switch next {
	case "inches", "inch":
		return 2 * one(name == "foot")
	case "pounds", "pound", "lbs":
		return 2 * one(name == "stone")
	case "plus", "minus", "times", "x", "+", "-", "*", "/", "by", "and", "feet", "foot", "ft", "yards", "miles", "meters", "meter", "m", "cm", "km", "kg", "kilos", "ounces":
		return 0
	}
	return 1
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// at finds the longest unit that begins at a word. Names of one or two letters are units only after a number, or after "in" or "to".
func (u units) at(words []string, n int) ([]unit, int) {
	for width := min(3, len(words)-n); width > 0; width-- {
		name := strings.Join(words[n:n+width], " ")
		list := u[name]
		if len(list) == 0 {
			continue
		}
		if len(name) <= 2 || name == "are" || name == "second" || name == "deg" {
			if n == 0 {
				continue
			}
			before := words[n-1]
			if !isNumber(before) && (name == "are" || before != "in" && before != "to" && before != "into" && before != "many" && before != "a") {
				continue
			}
		}
		return list, width
	}
	return nil, 0
}

var (
	howMany = regexp.MustCompile(`^(?:(?:what is|the|find|calculate|about|roughly|approximately) )*(?:how many|how much|number of|the number of|how long|what number of)\b`)
	// spanAsked is in a question that converts times, which are spoken of in many others.
	spanAsked = regexp.MustCompile(`\b(?:how many|how much|how long|in|into|to|per|as|convert|make)\b`)
	notUnit   = regexp.MustCompile(`\b(?:weighs? more|heavier|lighter|longer than|dollars?|euros?|yen|until|till|since|ago|tip|percent|recipe|day of|days of|time of|people|calories|population|who|why|old)\b`)
)

// conversion answers how much one unit is in another.
func (u units) conversion(q question) (plan, bool) {
	text := strings.ReplaceAll(q.digits, "cubic centimeter", "milliliter")
	if notUnit.MatchString(text) {
		return plan{}, false
	}
	found := u.mentions(text)
	if len(found) != 2 {
		return plan{}, false
	}
	from, to := found[0], found[1]
	if found[0].units[0].kind == "time" && !spanAsked.MatchString(text) {
		return plan{}, false
	}
	// The one with an amount is what is converted. Without any, "how many feet in a mile" names the wanted one first.
	if from.amount == "" && to.amount == "" && from.units[0].kind == "time" && !howMany.MatchString(text) && !strings.HasSuffix(text, " how many") && !strings.Contains(text, " per ") {
		return plan{}, false // days and weeks are the calendar's
	}
	switch asked := howMany.MatchString(text) && wanted(text, found[0]) || strings.HasSuffix(text, " how many"); {
	case from.amount != "" && to.amount == "":
	case to.amount != "" && from.amount == "":
		from, to = to, from
	case from.amount == "" && to.amount == "" && (asked || to.lone && !from.lone):
		from, to = to, from
	case from.amount == "" && to.amount == "":
	default:
		return plan{}, false
	}
	if from.amount == "" {
		from.amount = "1"
	}
	for _, a := range from.units {
		for _, b := range to.units {
			if a.kind == b.kind && a != b {
				return convert(from, a, b), true
			}
		}
	}
	return plan{}, false
}

// wanted tells whether a unit stands right after "how many".
func wanted(text string, m mention) bool {
	before := strings.Fields(text)[:m.from]
	return len(before) > 0 && (before[len(before)-1] == "many" || before[len(before)-1] == "much" || before[len(before)-1] == "of")
}

func convert(m mention, from, to unit) plan {
	expression := m.amount + "*" + bracket(from.factor) + "/" + bracket(to.factor)
	if from.kind == "temperature" {
		expression = temperature(m.amount, from.one, to.one)
	}
	source := m.said
	switch {
	case source != "":
	case m.amount == "1":
		source = "1 " + from.one
	default:
		source = m.amount + " " + from.many
	}
	return calculated(intentUnits, expression, func(value string, about bool) string {
		if from.kind == "temperature" {
			value, about = tenth(value, about)
		}
		name := to.many
		if value == "1" {
			name = to.one
		}
		return fmt.Sprintf("%s %s %s %s.", source, is(about), value, name)
	})
}

// tenth rounds a temperature to what a thermometer shows.
func tenth(value string, about bool) (string, bool) {
	exact, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return value, about
	}
	rounded := math.Round(exact*10) / 10
	return spell(rounded), about || rounded != exact
}

func bracket(factor string) string {
	if strings.ContainsAny(factor, "/") {
		return "(" + factor + ")"
	}
	return factor
}

// temperature writes the expression for a change of scale.
func temperature(amount, from, to string) string {
	amount = "(" + amount + ")"
	switch from + " " + to {
	case "degree Celsius degree Fahrenheit":
		return amount + "*9/5+32"
	case "degree Fahrenheit degree Celsius":
		return "(" + amount + "-32)*5/9"
	case "degree Celsius kelvin":
		return amount + "+273.15"
	case "kelvin degree Celsius":
		return amount + "-273.15"
	case "degree Fahrenheit kelvin":
		return "(" + amount + "-32)*5/9+273.15"
	}
	return "(" + amount + "-273.15)*9/5+32"
}
