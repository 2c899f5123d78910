package filter

import "strconv"

// numbered writes the numbers among words in digits, so that "twenty-five" and "25" are the same. Recognisers and models write
// them either way.
func numbered(words []string) []string {
	var out []string
	for i := 0; i < len(words); {
		if value, n := cardinal(words[i:]); n > 0 {
			out = append(out, strconv.Itoa(value))
			i += n
			continue
		}
		out = append(out, words[i])
		i++
	}
	return out
}

// cardinal reads the number that the words begin with, and how many words it takes; 0 where there is none.
func cardinal(words []string) (value, n int) {
	total, part := 0, 0
	for n < len(words) {
		word := words[n]
		small, ok := small(word)
		switch {
		case ok && (n == 0 || part == 0 && total > 0 && small > 0 || part > 0 && fits(part, small)):
			part += small
		case ok && part >= 13 && part <= 99 && total == 0 && small >= 10: // nineteen eighty-four
			total, part = part*100, small
		case word == "hundred" && part > 0 && part < 100:
			part *= 100
		case word == "thousand" && part > 0 && part < 1000 && total == 0:
			total, part = part*1000, 0
		case word == "and" && n > 0 && part%100 == 0 && part+total > 0 && n+1 < len(words) && isSmall(words[n+1]):
		default:
			return total + part, n
		}
		n++
	}
	return total + part, n
}

// fits tells whether a small number may follow the part of one that was read.
func fits(part, small int) bool {
	switch {
	case part == 0:
		return false // after "zero" another number begins
	case part%100 == 0:
		return true
	case part%10 == 0 && part%100 >= 20:
		return small > 0 && small < 10
	}
	return false
}

func isSmall(word string) bool {
	_, ok := small(word)
	return ok
}

// small is the value of a number word below a hundred.
func small(word string) (int, bool) {
	for value, name := range []string{
		"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
		"fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
	} {
		if word == name {
			return value, true
		}
	}
	for i, name := range []string{"twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"} {
		if word == name {
			return 10 * (i + 2), true
		}
	}
	return 0, false
}
