package skills

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"
)

var (
	countdown = regexp.MustCompile(`(?:\b(?:how many|how long|how much longer|how much time|how soon|number of|count)\b|^(?:the )?(?:days|weeks|sleeps)\b).*\b(?:until|till|til|to|before|from now|away|left|since|ago|passed|gone)\b|\bhow far (?:away|off|is)\b`)
	sinceWord = regexp.MustCompile(`\b(?:since|ago|passed|gone)\b`)
	weekAsked = regexp.MustCompile(`^(?:(?:what|which|the|current|calendar|is|it) )*week(?: number| of the year)?(?: (?:is it|is this|are we in|of the year|number|it is|today|this|is|now))*$`)
	weekdayOf = regexp.MustCompile(`\b(?:day of (?:the )?week|weekday|(?:what|which) day|fall|falls|fell|land|lands)\b`)
	whenFeast = regexp.MustCompile(`^(?:when|what date|which date|what day|which day|on (?:what|which) (?:day|date)|date of|what is the date of)\b`)
	yesOrNo   = regexp.MustCompile(`^(?:is|was|will|does|did)\b`)
)

// dateWords are the words that a question about a day and nothing else is made of.
const dateWords = ` what which is was will it be the a day date of week weekday on in we have are today do that year month number this now current currently
 would does say calendar here right exact full days name am i and there s it's going to being then at moment got for comes come follows called `

// calendar answers what day it is, was or will be, and how far away a day is.
func (r *Reasoner) calendar(q question) (plan, bool) {
	if q.hasWord("my", "our", "your", "weather", "rain", "who", "why") {
		return plan{}, false
	}
	text := q.digits
	if weekAsked.MatchString(q.text) {
		return onDay(place{}, func(today time.Time) string {
			_, week := today.ISOWeek()
			return fmt.Sprintf("It is week %d of the year.", week)
		}), true
	}
	named, isNamed := namedIn(q.text)
	if countdown.MatchString(q.text) {
		if target, ok := target(q, named, isNamed); ok {
			return countTo(target, q.hasWord("week", "weeks"), sinceWord.MatchString(q.text)), true
		}
	}
	if isNamed {
		return dayOf(q, named)
	}
	if relative, ok := relativeDay(text); ok && onlyAboutDay(withoutRelative(text)) {
		return onDay(place{}, sayDay(relative)), true
	}
	where, rest := r.placeApart(q.text)
	if onlyAboutDay(rest) {
		return onDay(where, func(today time.Time) string { return tellToday(rest, today, where) }), true
	}
	return plan{}, false
}

// namedIn finds a feast or a day of the calendar.
func namedIn(text string) (day, bool) {
	if found, ok := feast(text); ok {
		return found, true
	}
	return calendarDay(text)
}

// target is the day that a countdown goes to.
func target(q question, named day, isNamed bool) (day, bool) {
	if isNamed {
		return named, true
	}
	if relative, ok := relativeDay(q.digits); ok {
		return relative, true
	}
	if name := weekdays.FindStringSubmatch(q.text); name != nil {
		which := "next"
		if sinceWord.MatchString(q.text) {
			which = "last"
		}
		return namedDay(which, name[1]), true
	}
	return day{}, false
}

// dayOf answers about a day of the calendar.
func dayOf(q question, named day) (plan, bool) {
	asked := weekdays.FindStringSubmatch(q.text)
	switch {
	case asked != nil && yesOrNo.MatchString(q.text):
		return onDay(place{}, func(today time.Time) string {
			date := named.of(today)
			answer := "No"
			if strings.ToLower(date.Weekday().String()) == asked[1] {
				answer = "Yes"
			}
			return fmt.Sprintf("%s, %s %s a %s.", answer, date.Format("January 2, 2006"), verb(date, today), date.Weekday())
		}), true
	case weekdayOf.MatchString(q.text), named.name != "" && whenFeast.MatchString(q.text) && len(strings.Fields(q.text)) <= 9:
		return onDay(place{}, func(today time.Time) string {
			date := named.of(today)
			if named.name != "" {
				return fmt.Sprintf("%s %s on %s.", named.name, verb(date, today), date.Format("Monday, January 2, 2006"))
			}
			return fmt.Sprintf("%s %s a %s.", date.Format("January 2, 2006"), verb(date, today), date.Weekday())
		}), true
	}
	return plan{}, false
}

// placeApart takes a place and the words before it off a question.
func (r *Reasoner) placeApart(text string) (place, string) {
	words := strings.Fields(text)
	for n, word := range words {
		if word != "in" && word != "for" {
			continue
		}
		after := n + 1
		if after < len(words) && words[after] == "the" {
			after++
		}
		if where, took := r.places.at(words[min(after, len(words)):]); took > 0 {
			return where, strings.Join(append(append([]string{}, words[:n]...), words[after+took:]...), " ")
		}
	}
	return place{}, text
}

// withoutRelative takes what relativeDay reads off a text.
func withoutRelative(text string) string {
	text = relativeWords.ReplaceAllString(text, "")
	return shifted.ReplaceAllString(text, "")
}

var relativeWords = regexp.MustCompile(`\b(?:(?:the )?day (?:after tomorrow|before yesterday)|tomorrow|yesterday|(?:next|this|coming|last|past) (?:sunday|monday|tuesday|wednesday|thursday|friday|saturday))\b`)

// onlyAboutDay tells whether a text asks for a day and for nothing else.
func onlyAboutDay(text string) bool {
	words := strings.Fields(text)
	about := false
	for _, word := range words {
		if !strings.Contains(dateWords, " "+word+" ") {
			return false
		}
		about = about || word == "day" || word == "date" || word == "weekday" || word == "month" || word == "year"
	}
	return about
}

// onDay is a plan that asks for the time somewhere and words the day.
func onDay(where place, word func(today time.Time) string) plan {
	p := timeAt(where)
	p.intent = intentDate
	p.compose = func(_ context.Context, results []result) string {
		now, ok := clockOf(results[0].text)
		if !ok {
			return failed("look at the calendar", results[0].text)
		}
		return word(time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC))
	}
	return p
}

func tellToday(asked string, today time.Time, where place) string {
	in := ""
	if where.name != "" {
		in = " in " + where.name
	}
	switch {
	case strings.Contains(asked, "month"):
		return fmt.Sprintf("It is %s%s.", today.Format("January 2006"), in)
	case strings.Contains(asked, "year"):
		return fmt.Sprintf("It is %d%s.", today.Year(), in)
	case strings.Contains(asked, "date"):
		return fmt.Sprintf("Today is %s%s.", today.Format("Monday, January 2, 2006"), in)
	}
	return fmt.Sprintf("Today is %s%s.", today.Format("Monday, January 2"), in)
}

func sayToday(today time.Time) string { return tellToday("date", today, place{}) }

func sayDay(relative day) func(today time.Time) string {
	return func(today time.Time) string { return tellDay(relative, today) }
}

func tellDay(relative day, today time.Time) string {
	date := relative.of(today)
	written := date.Format("Monday, January 2")
	if date.Year() != today.Year() {
		written = date.Format("Monday, January 2, 2006")
	}
	switch {
	case strings.HasPrefix(relative.name, "in "), strings.HasSuffix(relative.name, " ago"):
		return fmt.Sprintf("%s it %s %s.", capital(relative.name), verb(date, today), written)
	case weekdays.MatchString(strings.ToLower(relative.name)): // "next Monday is March 16"
		_, written, _ = strings.Cut(written, ", ")
	}
	return fmt.Sprintf("%s %s %s.", capital(relative.name), verb(date, today), written)
}

// countTo tells how many days away a day is.
func countTo(target day, inWeeks, since bool) plan {
	return onDay(place{}, func(today time.Time) string {
		if since && !target.year && !target.past {
			target.of = lastOf(target.of)
		}
		date := target.of(today)
		days := int(date.Sub(today).Hours() / 24)
		name := date.Format("January 2, 2006")
		if target.name != "" {
			name = target.name
		}
		switch {
		case days == 0:
			return capital(name) + " is today."
		case days < 0 && inWeeks:
			return fmt.Sprintf("It has been %s since %s.", weeksAndDays(-days), name)
		case days < 0:
			return fmt.Sprintf("It has been %s since %s.", plural(float64(-days), "day"), name)
		case inWeeks:
			return fmt.Sprintf("It is %s until %s.", weeksAndDays(days), name)
		}
		return fmt.Sprintf("It is %s until %s.", plural(float64(days), "day"), name)
	})
}

// lastOf turns the next such day of the year into the last one.
func lastOf(of func(time.Time) time.Time) func(time.Time) time.Time {
	return func(today time.Time) time.Time {
		if found := of(today); !found.After(today) {
			return found
		}
		return of(today.AddDate(-1, 0, 0))
	}
}

func weeksAndDays(days int) string {
	weeks := plural(float64(days/7), "week")
	if days%7 == 0 {
		return weeks
	}
	if days < 7 {
		return plural(float64(days), "day")
	}
	return weeks + " and " + plural(float64(days%7), "day")
}

func verb(date, today time.Time) string {
	if date.Before(today) {
		return "was"
	}
	return "is"
}
