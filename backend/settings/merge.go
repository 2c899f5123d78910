package settings

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"echo-companion/backend/echo"
	"echo-companion/backend/protocol"
)

const secretSuffix = "api_key"

// merge applies a patch to the document, in place; where it returns an error the document is to be thrown away. What the
// defaults do not have is unknown, and ignored.
func merge(document, patch, defaults map[string]any, rules map[string]rule, prefix string) error {
	for _, key := range slices.Sorted(maps.Keys(patch)) {
		value, name := patch[key], prefix+key
		standard, known := defaults[key]
		group, isGroup := standard.(map[string]any)
		switch {
		case !known:
		case value == nil:
			document[key] = standard
		case isGroup:
			changes, is := value.(map[string]any)
			if !is {
				return invalid(name, "must be an object")
			}
			inner, _ := document[key].(map[string]any)
			if err := merge(inner, changes, group, rules, name+"."); err != nil {
				return err
			}
		case strings.HasSuffix(name, secretSuffix) && value == protocol.KeptKey:
		default:
			kept, err := rules[name](value)
			if err != nil {
				return invalid(name, err.Error())
			}
			document[key] = kept
		}
	}
	return nil
}

func invalid(name, problem string) error {
	return echo.Errorf(echo.CodeInvalid, "The setting %q %s.", name, problem)
}

// documentOf gives a fresh document, which the caller may change.
func documentOf(settings Settings) map[string]any {
	data, err := json.Marshal(settings)
	var document map[string]any
	if err == nil {
		err = json.Unmarshal(data, &document)
	}
	if err != nil {
		panic(fmt.Sprintf("settings: a struct of strings, numbers and booleans does not marshal: %v", err))
	}
	return document
}

func settingsOf(document map[string]any) (Settings, error) {
	data, err := json.Marshal(document)
	if err != nil {
		return Settings{}, fmt.Errorf("encode settings: %w", err)
	}
	var settings Settings
	if err := json.Unmarshal(data, &settings); err != nil {
		return Settings{}, fmt.Errorf("decode settings: %w", err)
	}
	return settings, nil
}

func lookUp(document map[string]any, name string) (any, bool) {
	first, rest, deeper := strings.Cut(name, ".")
	value, found := document[first]
	if !deeper || !found {
		return value, found
	}
	inner, _ := value.(map[string]any)
	return lookUp(inner, rest)
}

func put(document map[string]any, name string, value any) {
	first, rest, deeper := strings.Cut(name, ".")
	if !deeper {
		document[first] = value
		return
	}
	if inner, is := document[first].(map[string]any); is {
		put(inner, rest, value)
	}
}

// take removes a value and gives it.
func take(document map[string]any, name string) any {
	first, rest, deeper := strings.Cut(name, ".")
	value := document[first]
	if !deeper {
		delete(document, first)
		return value
	}
	inner, _ := value.(map[string]any)
	return take(inner, rest)
}

func nested(name string, value any) map[string]any {
	first, rest, deeper := strings.Cut(name, ".")
	if deeper {
		return map[string]any{first: nested(rest, value)}
	}
	return map[string]any{first: value}
}

func sortedNames(rules map[string]rule) []string { return slices.Sorted(maps.Keys(rules)) }

func secretFields() []string {
	return slices.DeleteFunc(sortedNames(fields()), func(name string) bool { return !strings.HasSuffix(name, secretSuffix) })
}
