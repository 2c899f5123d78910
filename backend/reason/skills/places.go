package skills

import (
	_ "embed"
	"strings"
)

// placesTable names some 3400 cities, countries and states, each with its IANA time zone and how it is written. docs/skills.md says
// what it was made of.
//
//go:embed places.tsv
var placesTable string

// place is a city or a country, and its time zone.
type place struct{ zone, name string }

// places finds places by their names in lower case, without accents.
type places map[string]place

func newPlaces() places {
	table := make(places, strings.Count(placesTable, "\n"))
	for line := range strings.Lines(placesTable) {
		if cells := strings.Split(strings.TrimSpace(line), "\t"); len(cells) == 3 {
			table[cells[0]] = place{zone: cells[1], name: cells[2]}
		}
	}
	return table
}

// longestPlace is how many words the longest name has that is looked for.
const longestPlace = 5

// at gives the longest place whose name begins at a word of the text, and how many words that takes.
func (p places) at(words []string) (place, int) {
	for n := min(longestPlace, len(words)); n > 0; n-- {
		if found, ok := p[fold(strings.Join(words[:n], " "))]; ok {
			return found, n
		}
	}
	return place{}, 0
}

// find gives the places that a text names after a word that leads to a place ("in", "for"), in order. unknown is what stands where a
// place would be but is none that is known.
func (p places) find(text string) (found []place, unknown string) {
	words := strings.Fields(text)
	for n := 0; n < len(words); n++ {
		switch words[n] {
		case "in", "at", "for", "over", "of", "between", "and", "from", "to":
		default:
			continue
		}
		rest := words[n+1:]
		if len(rest) > 0 && rest[0] == "the" {
			rest = rest[1:]
		}
		where, took := p.at(rest)
		if took == 0 {
			if words[n] == "in" && len(rest) > 0 {
				unknown = strings.Join(rest[:min(3, len(rest))], " ")
			}
			continue
		}
		if len(found) == 0 || words[n] == "and" || words[n] == "to" {
			found = append(found, where)
		}
		n += took
	}
	return found, unknown
}

// all gives the places that stand anywhere in a text, in order.
func (p places) all(text string) (found []place) {
	words := strings.Fields(text)
	for n := 0; n < len(words); n++ {
		if where, took := p.at(words[n:]); took > 0 {
			found = append(found, where)
			n += took - 1
		}
	}
	return found
}

// fold takes the accents off the letters of common place names.
func fold(text string) string {
	return strings.NewReplacer("á", "a", "à", "a", "â", "a", "ã", "a", "ä", "a", "å", "a", "ç", "c", "é", "e", "è", "e", "ê", "e", "ë", "e", "í", "i", "î", "i",
		"ñ", "n", "ó", "o", "ô", "o", "õ", "o", "ö", "o", "ø", "o", "ú", "u", "ü", "u", "ş", "s", "š", "s", "ž", "z", "ł", "l", "ß", "ss").Replace(text)
}
