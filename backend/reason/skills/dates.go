package skills

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// day is a day as a question names it, without knowing today: given today it tells the date.
type day struct {
	name string // how it is said, where it has a name of its own
	of   func(today time.Time) time.Time
	past bool // it is one that was
	year bool // the year was said
}

// monthOf gives the month that a name stands for; 0 where it is none.
func monthOf(name string) time.Month {
	for m := time.January; m <= time.December; m++ {
		full := strings.ToLower(m.String())
		if len(name) >= 3 && strings.HasPrefix(full, name) && (len(name) == 3 || name == full || name == "sept") {
			return m
		}
	}
	return 0
}

// monthName gives the name of a month in two digits.
func monthName(number string) string {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > 12 {
		return ""
	}
	return strings.ToLower(time.Month(n).String())
}

func ordinalDay(number string) string { return strings.TrimPrefix(number, "0") }

// ordinal reads "first", "twenty first" and "21st" at the start of the tokens.
func ordinal(tokens []string) (value, used int) {
	if len(tokens) == 0 {
		return 0, 0
	}
	names := [...]string{
		"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth",
		"thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth",
	}
	for n, name := range names {
		if tokens[0] == name {
			return n + 1, 1
		}
	}
	if tokens[0] == "thirtieth" {
		return 30, 1
	}
	if ten, ok := tensNumber(tokens[0]); ok && ten <= 30 && len(tokens) > 1 {
		if unit, _ := ordinal(tokens[1:2]); unit > 0 && unit < 10 {
			return int(ten) + unit, 2
		}
	}
	text := strings.TrimRight(tokens[0], "stndrh")
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= 31 {
		return n, 1
	}
	if n, took := number(tokens); took > 0 && n >= 1 && n <= 31 && n == float64(int(n)) {
		return int(n), took
	}
	return 0, 0
}

// calendarDay finds a day with a month in a text: "the 4th of july", "july fourth 1999", "december 25".
func calendarDay(text string) (day, bool) {
	tokens := strings.Fields(text)
	for n, token := range tokens {
		month := monthOf(token)
		if month == 0 || token == "may" && n+1 == len(tokens) && n == 0 {
			continue
		}
		date, rest := dayBefore(tokens[:n]), tokens[n+1:]
		if date == 0 {
			if len(rest) > 0 && rest[0] == "the" {
				rest = rest[1:]
			}
			value, used := ordinal(rest)
			date, rest = value, rest[used:]
		}
		if date == 0 {
			continue
		}
		year := yearOf(rest)
		past := pastWord.MatchString(text)
		return fixed("", month, date, year, past), true
	}
	return day{}, false
}

// dayBefore reads the day in front of a month: "4th of", "the twenty first of", "4".
func dayBefore(tokens []string) int {
	if len(tokens) > 0 && tokens[len(tokens)-1] == "of" {
		tokens = tokens[:len(tokens)-1]
	}
	for _, width := range []int{2, 1} {
		if len(tokens) < width {
			continue
		}
		if value, used := ordinal(tokens[len(tokens)-width:]); used == width {
			return value
		}
	}
	return 0
}

func yearOf(tokens []string) int {
	if len(tokens) > 0 && (tokens[0] == "in" || tokens[0] == "of") {
		tokens = tokens[1:]
	}
	if value, _ := number(tokens); value >= 1000 && value <= 9999 {
		return int(value)
	}
	return 0
}

// fixed is a date of the calendar. Without a year it is the next such day, or for what was the last.
func fixed(name string, month time.Month, date, year int, past bool) day {
	return day{name: name, past: past, year: year != 0, of: func(today time.Time) time.Time {
		if year != 0 {
			return time.Date(year, month, date, 0, 0, 0, 0, time.UTC)
		}
		found := time.Date(today.Year(), month, date, 0, 0, 0, 0, time.UTC)
		if past && found.After(today) {
			found = found.AddDate(-1, 0, 0)
		}
		if !past && found.Before(today) {
			found = found.AddDate(1, 0, 0)
		}
		return found
	}}
}

var feasts = regexp.MustCompile(`\b(christmas eve|christmas day|christmas|xmas|boxing day|new years eve|new year eve|new years day|new years|new year|halloween|valentines day|valentine day|valentines|st patricks day|st patrick day|easter sunday|easter|good friday|thanksgiving|independence day)\b`)

// feast finds a day with a name of its own.
func feast(text string) (day, bool) {
	name := feasts.FindString(text)
	at := func(month time.Month, date int) (day, bool) {
		return fixed(capitals(name), month, date, 0, false), true
	}
	moving := func(of func(year int) time.Time) (day, bool) {
		return day{name: capitals(name), of: func(today time.Time) time.Time {
			if found := of(today.Year()); !found.Before(today) {
				return found
			}
			return of(today.Year() + 1)
		}}, true
	}
	switch name {
	case "christmas", "christmas day", "xmas":
		return at(time.December, 25)
	case "christmas eve":
		return at(time.December, 24)
	case "boxing day":
		return at(time.December, 26)
	case "new years eve", "new year eve":
		return at(time.December, 31)
	case "new year", "new years", "new years day":
		return at(time.January, 1)
	case "halloween":
		return at(time.October, 31)
	case "valentines day", "valentine day", "valentines":
		return at(time.February, 14)
	case "st patricks day", "st patrick day":
		return at(time.March, 17)
	case "independence day":
		return at(time.July, 4)
	case "easter", "easter sunday":
		return moving(easter)
	case "good friday":
		return moving(func(year int) time.Time { return easter(year).AddDate(0, 0, -2) })
	case "thanksgiving":
		return moving(func(year int) time.Time {
			first := time.Date(year, time.November, 1, 0, 0, 0, 0, time.UTC)
			return first.AddDate(0, 0, (int(time.Thursday-first.Weekday())+7)%7+21)
		})
	}
	return day{}, false
}

// easter is Easter Sunday by the anonymous Gregorian computus.
func easter(year int) time.Time {
	a, b, c := year%19, year/100, year%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	month, date := (h+l-7*m+114)/31, (h+l-7*m+114)%31+1
	return time.Date(year, time.Month(month), date, 0, 0, 0, 0, time.UTC)
}

var (
	weekdays = regexp.MustCompile(`\b(sunday|monday|tuesday|wednesday|thursday|friday|saturday)s?\b`)
	whichDay = regexp.MustCompile(`\b(next|this|coming|last|past) ` + weekdays.String())
	pastWord = regexp.MustCompile(`\b(?:was|were|since|ago|did|passed)\b`)
	shifted  = regexp.MustCompile(`\b(?:in )?(\d+|a) (day|week|month|year)s?(?: (from (?:now|today)|from|ago|before|back|later|time|from today))?\b`)
)

// relativeDay finds a day that is said from today: "tomorrow", "in ten days", "next monday".
func relativeDay(text string) (day, bool) {
	shift := func(name string, days int) (day, bool) {
		return day{name: name, past: days < 0, of: func(today time.Time) time.Time { return today.AddDate(0, 0, days) }}, true
	}
	switch {
	case strings.Contains(text, "day after tomorrow"):
		return shift("the day after tomorrow", 2)
	case strings.Contains(text, "day before yesterday"):
		return shift("the day before yesterday", -2)
	case strings.Contains(text, "tomorrow"):
		return shift("tomorrow", 1)
	case strings.Contains(text, "yesterday"):
		return shift("yesterday", -1)
	}
	if found := shifted.FindStringSubmatch(text); found != nil && (strings.HasPrefix(found[0], "in ") || found[3] != "") {
		return shiftedDay(found)
	}
	if found := whichDay.FindStringSubmatch(text); found != nil {
		return namedDay(found[1], found[2]), true
	}
	return day{}, false
}

func shiftedDay(found []string) (day, bool) {
	count := 1
	if found[1] != "a" {
		parsed, err := strconv.Atoi(found[1])
		if err != nil || parsed > 100000 {
			return day{}, false
		}
		count = parsed
	}
	name := plural(float64(count), found[2])
	if back := found[3] == "ago" || found[3] == "before" || found[3] == "back"; back {
		count, name = -count, name+" ago"
	} else {
		name = "in " + name
	}
	return day{name: name, past: count < 0, of: func(today time.Time) time.Time {
		switch found[2] {
		case "week":
			return today.AddDate(0, 0, 7*count)
		case "month":
			return today.AddDate(0, count, 0)
		case "year":
			return today.AddDate(count, 0, 0)
		}
		return today.AddDate(0, 0, count)
	}}, true
}

// namedDay is the next or the last of a weekday, never today.
func namedDay(which, name string) day {
	return day{name: fmt.Sprintf("%s %s", which, capital(name)), past: which == "last" || which == "past", of: func(today time.Time) time.Time {
		step := 1
		if which == "last" || which == "past" {
			step = -1
		}
		found := today.AddDate(0, 0, step)
		for strings.ToLower(found.Weekday().String()) != name {
			found = found.AddDate(0, 0, step)
		}
		return found
	}}
}
