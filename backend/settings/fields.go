package settings

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"echo-companion/backend/protocol"
)

// The bounds of settings.
const (
	maxText       = 500  // code points of a name or an address
	maxKey        = 4096 // code points of an API key
	minPatienceMS = 300  // a shorter pause cuts people off between words
	maxPatienceMS = 4000 // a longer one feels like no answer at all
)

// Default gives the settings of a first start.
func Default() Settings {
	return Settings{
		Workspace: "default",
		Look:      Looks()[0].ID,
		Reasoning: protocol.ReasoningSettings{Provider: protocol.ProviderAuto},
		Speech: protocol.SpeechSettings{
			Recognizer:  protocol.RecognizerSettings{Engine: protocol.EngineBuiltin, Language: "en"},
			Synthesizer: protocol.SynthesizerSettings{Engine: protocol.EngineBuiltin},
		},
		Voice:     protocol.VoiceSettings{SaveConversations: true, Mode: protocol.PushToTalk, PatienceMS: 900, GlobalKey: "Ctrl+Alt+Space"},
		Companion: protocol.CompanionSettings{Floating: true, AlwaysOnTop: true},
		Theme:     protocol.ThemeSystem,
	}
}

// rule gives the value to keep, or says after the field's name what is wrong with the one it was given.
type rule func(value any) (any, error)

// fields is every field that can be set, by its dotted name.
func fields() map[string]rule {
	var looks []string
	for _, look := range Looks() {
		looks = append(looks, look.ID)
	}
	engine := oneOf(string(protocol.EngineBuiltin), string(protocol.EngineOpenAI))
	return map[string]rule{
		"workspace":                   matching(`^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$`, "must be the name of a workspace"),
		"look":                        oneOf(looks...),
		"reasoning.provider":          oneOf(string(protocol.ProviderAuto), string(protocol.ProviderBuiltin), string(protocol.ProviderOllama), string(protocol.ProviderOpenAI)),
		"reasoning.base_url":          address,
		"reasoning.api_key":           secret,
		"reasoning.model":             text(maxText),
		"speech.recognizer.engine":    engine,
		"speech.recognizer.base_url":  address,
		"speech.recognizer.api_key":   secret,
		"speech.recognizer.model":     text(maxText),
		"speech.recognizer.language":  matching(`^([a-z]{2,3}(-[A-Za-z0-9]{2,8})*)?$`, `must be a language code such as "en", or empty`),
		"speech.synthesizer.engine":   engine,
		"speech.synthesizer.base_url": address,
		"speech.synthesizer.api_key":  secret,
		"speech.synthesizer.model":    text(maxText),
		"speech.synthesizer.voice":    text(maxText),
		"voice.save_conversations":    boolean,
		"voice.mode":                  oneOf(string(protocol.PushToTalk), string(protocol.HandsFree)),
		"voice.wake_word":             boolean,
		"voice.input_device":          text(maxText),
		"voice.output_device":         text(maxText),
		"voice.patience_ms":           between(minPatienceMS, maxPatienceMS),
		"voice.global_key":            globalKey,
		"companion.floating":          boolean,
		"companion.always_on_top":     boolean,
		"companion.welcomed":          boolean,
		"theme":                       oneOf(string(protocol.ThemeSystem), string(protocol.ThemeLight), string(protocol.ThemeDark)),
	}
}

func boolean(value any) (any, error) {
	if _, is := value.(bool); !is {
		return nil, errors.New("must be true or false")
	}
	return value, nil
}

func oneOf(values ...string) rule {
	return func(value any) (any, error) {
		for _, allowed := range values {
			if value == allowed {
				return value, nil
			}
		}
		return nil, fmt.Errorf("must be one of %s", strings.Join(values, ", "))
	}
}

func between(least, most int) rule {
	return func(value any) (any, error) {
		number, is := value.(float64)
		if !is || number != float64(int(number)) || int(number) < least || int(number) > most {
			return nil, fmt.Errorf("must be a whole number from %d to %d", least, most)
		}
		return value, nil
	}
}

func text(most int) rule {
	return func(value any) (any, error) {
		line, is := value.(string)
		switch {
		case !is:
			return nil, errors.New("must be a text")
		case utf8.RuneCountInString(line) > most:
			return nil, fmt.Errorf("must not be longer than %d characters", most)
		case strings.ContainsFunc(line, unicode.IsControl):
			return nil, errors.New("must not contain control characters")
		}
		return line, nil
	}
}

func matching(pattern, problem string) rule {
	expression := regexp.MustCompile(pattern)
	return func(value any) (any, error) {
		line, is := value.(string)
		if !is || !expression.MatchString(line) {
			return nil, errors.New(problem)
		}
		return line, nil
	}
}

// secret is an API key. What was pasted with it is cut off; it goes into an HTTP header.
func secret(value any) (any, error) {
	if line, is := value.(string); is {
		value = strings.TrimSpace(line)
	}
	return text(maxKey)(value)
}

// address is the base of an HTTP API, or empty.
func address(value any) (any, error) {
	if _, err := text(maxText)(value); err != nil {
		return nil, err
	}
	line, _ := value.(string)
	if line == "" {
		return line, nil
	}
	parsed, err := url.Parse(line)
	if err == nil && parsed.User != nil { // settings.json is no place for a password
		return nil, errors.New("must not hold a user name or a password: give the key as api_key, which is kept apart")
	}
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.RawQuery != "" || parsed.Fragment != "" {
		return nil, errors.New(`must be an address such as "http://127.0.0.1:8080/v1", or empty`)
	}
	return line, nil
}

// globalKey is one key with its modifiers, or empty. Whether the system can register it is for the desktop to find out.
func globalKey(value any) (any, error) {
	line, is := value.(string)
	if !is {
		return nil, errors.New("must be a text")
	}
	if line == "" {
		return line, nil
	}
	parts := strings.Split(line, "+")
	for _, modifier := range parts[:len(parts)-1] {
		if _, err := oneOf("Ctrl", "Alt", "Shift", "Super")(modifier); err != nil {
			return nil, errors.New(`must be a key with its modifiers, such as "Ctrl+Alt+Space", or empty`)
		}
	}
	key := parts[len(parts)-1]
	if len(parts) < 2 || !regexp.MustCompile(`^([A-Z0-9]|F[1-9]|F1[0-2]|Space|Enter|Tab|Escape|Up|Down|Left|Right)$`).MatchString(key) {
		return nil, errors.New(`must be a key with its modifiers, such as "Ctrl+Alt+Space", or empty`)
	}
	return line, nil
}
