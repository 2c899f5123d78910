package skills

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

var (
	currency = regexp.MustCompile(`(\d) (?:dollars?|bucks|euros?|pounds?|quid|cents?|yen)\b`)
	// The ways of asking about percents; a number is a group.
	percentOf   = regexp.MustCompile(`(?:^| )` + num + ` percent (?:of|from) (?:a |the )?` + num)
	whichOf     = regexp.MustCompile(`(?:what|how many) (?:percent|percentage)(?: is| are| does| of)? ` + num + ` (?:of|out of|from|is|to) ` + num)
	whichOfIs   = regexp.MustCompile(`what (?:percent|percentage) of ` + num + ` (?:is|are|makes?|would be) ` + num)
	isWhichOf   = regexp.MustCompile(num + ` (?:is|are|makes?) what (?:percent|percentage) (?:of|out of) ` + num)
	outOf       = regexp.MustCompile(num + ` (?:out of|of|from|over) ` + num + ` (?:in|as|is what|what is that in|is how many|how many|to)(?: a| the)? (?:percent|percentage)`)
	asPercent   = regexp.MustCompile(`percentage (?:of|is) ` + num + ` (?:out of|of|from) ` + num)
	tipRate     = regexp.MustCompile(num + ` percent tip|tip (?:of |at |is )?` + num + ` percent|(?:gratuity|tip).* ` + num + ` percent|` + num + ` percent (?:gratuity|service)`)
	tipBase     = regexp.MustCompile(`\b(?:on|for|from|of|to|is|bill|dinner|meal) (?:a |an |the |my )*(?:bill |check |dinner |lunch |meal |tab )?(?:of |for |that is |is )?(?:a )?` + num + `\b`)
	more        = regexp.MustCompile(`^(?:add )?` + num + ` percent (?:more than|on top of|added to|to|extra on) ` + num + `$`)
	plusPercent = regexp.MustCompile(num + ` (?:plus|\+|increased by|increase by|and|with|raised by) ` + num + ` percent`)
	lessPercent = regexp.MustCompile(num + ` (?:minus|-|less|decreased by|reduced by|decrease by|with an?|at) ` + num + ` percent(?: off| discount| reduction)?`)
	percentOff  = regexp.MustCompile(num + ` percent (?:off|discount on|discount off|off of|less than|reduction on)(?: of)?(?: a| the)? ` + num)
	offAfter    = regexp.MustCompile(num + ` .*?\b` + num + ` percent (?:off|discount|cheaper|less|reduced|reduction)`)
	raise       = regexp.MustCompile(`(?:increase|raise|grow) ` + num + ` by ` + num + ` percent`)
	reduce      = regexp.MustCompile(`(?:decrease|reduce|lower|cut|discount) ` + num + ` by ` + num + ` percent`)
	anyNumber   = regexp.MustCompile(num)
	anyPercent  = regexp.MustCompile(num + ` percent`)
	change      = regexp.MustCompile(`(?:percent|percentage).*\bfrom ` + num + ` to ` + num + `|from ` + num + ` to ` + num + `.*(?:percent|percentage)`)
)

// percentages answers about percents, discounts and tips.
func percentages(q question) (plan, bool) {
	text := currency.ReplaceAllString(q.digits, "$1")
	if !strings.Contains(text, "percent") || !figure.MatchString(text) {
		return plan{}, false
	}
	if strings.Contains(text, "tip") || strings.Contains(text, "gratuity") {
		if found, ok := tip(text); ok {
			return found, true
		}
	}
	if share, ok := shares(text); ok {
		return share, true
	}
	return changes(text)
}

// shares answers what part one number is of another, and what a part comes to.
func shares(text string) (plan, bool) {
	for _, form := range []struct {
		pattern     *regexp.Regexp
		part, whole int
	}{{whichOfIs, 2, 1}, {whichOf, 1, 2}, {isWhichOf, 1, 2}, {outOf, 1, 2}, {asPercent, 1, 2}} {
		if found := form.pattern.FindStringSubmatch(text); found != nil {
			part, whole := found[form.part], found[form.whole]
			return calculated(intentPercent, part+"/"+whole+"*100", func(value string, about bool) string {
				return fmt.Sprintf("%s %s %s percent of %s.", part, is(about), value, whole)
			}), true
		}
	}
	if found := change.FindStringSubmatch(text); found != nil {
		from, to := found[1]+found[3], found[2]+found[4]
		return calculated(intentPercent, "("+to+"-"+from+")/"+from+"*100", func(value string, _ bool) string {
			return fmt.Sprintf("From %s to %s is a change of %s percent.", from, to, value)
		}), true
	}
	return plan{}, false
}

// changes answers about a number with percents added or taken off, and about a part of a number that is all of the question.
func changes(text string) (plan, bool) {
	for _, form := range []struct {
		pattern    *regexp.Regexp
		base, rate int
		sign, said string
	}{
		{raise, 1, 2, "+", "plus"},
		{reduce, 1, 2, "-", "minus"},
		{percentOff, 2, 1, "-", "minus"},
		{more, 2, 1, "+", "plus"},
		{plusPercent, 1, 2, "+", "plus"},
		{lessPercent, 1, 2, "-", "minus"},
	} {
		if found := form.pattern.FindStringSubmatch(frame(text)); found != nil && !percentOf.MatchString(text) {
			return changed(found[form.base], found[form.rate], form.sign, form.said), true
		}
	}
	if found := percentOf.FindStringSubmatch(text); found != nil {
		if rest := strings.Fields(frame(strings.Replace(text, found[0], "", 1))); len(rest) > 4 || signs.MatchString(strings.Join(rest, " ")) || strings.Contains(text, " minus ") || strings.Contains(text, " plus ") {
			return plan{}, false // a longer sum: arithmetic reads it
		}
		return calculated(intentPercent, found[1]+"/100*"+found[2], func(value string, about bool) string {
			return fmt.Sprintf("%s percent of %s %s %s.", found[1], found[2], is(about), value)
		}), true
	}
	if found := offAfter.FindStringSubmatch(text); found != nil {
		return changed(found[1], found[2], "-", "minus"), true
	}
	return plan{}, false
}

func changed(base, rate, sign, said string) plan {
	return calculated(intentPercent, base+"*(1"+sign+rate+"/100)", func(value string, about bool) string {
		return fmt.Sprintf("%s %s %s percent %s %s.", base, said, rate, is(about), value)
	})
}

// tip answers what a tip comes to, and the bill with it.
func tip(text string) (plan, bool) {
	numbers := anyNumber.FindAllString(text, -1)
	if len(numbers) != 2 {
		return plan{}, false
	}
	rate := ""
	if found := tipRate.FindStringSubmatch(text); found != nil {
		rate = strings.Join(found[1:], "")
	} else if found := anyPercent.FindStringSubmatch(text); found != nil {
		rate = found[1]
	}
	base := numbers[0]
	if base == rate {
		base = numbers[1]
	}
	if found := tipBase.FindStringSubmatch(text); found != nil && found[1] != rate {
		base = found[1]
	}
	if rate == "" {
		return plan{}, false
	}
	p := calculated(intentPercent, base+"*"+rate+"/100", nil)
	p.calls = append(p.calls, call{toolSum, map[string]any{"expression": base + "*(1+" + rate + "/100)"}})
	p.compose = func(_ context.Context, results []result) string {
		part, ok1 := outcome(results[0].text)
		total, ok2 := outcome(results[1].text)
		if !ok1 || !ok2 {
			return failed("work that out", results[0].text+" "+results[1].text)
		}
		return fmt.Sprintf("%s %s percent tip on %s is %s, which makes %s in all.", capital(article(rate)), rate, base, number2(part), number2(total))
	}
	return p, true
}
