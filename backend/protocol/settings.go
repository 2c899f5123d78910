package protocol

// Provider says who writes Echo's answers.
type Provider string

// The providers of reasoning. ProviderAuto is Ollama where one answers on this machine with a model, else ProviderBuiltin.
const (
	ProviderAuto    Provider = "auto"
	ProviderBuiltin Provider = "builtin"
	ProviderOllama  Provider = "ollama"
	ProviderOpenAI  Provider = "openai"
)

// SpeechEngine says who recognises or speaks.
type SpeechEngine string

// The engines of speech.
const (
	EngineBuiltin SpeechEngine = "builtin"
	EngineOpenAI  SpeechEngine = "openai"
)

// VoiceMode says how the microphone is used.
type VoiceMode string

// The modes of the microphone.
const (
	PushToTalk VoiceMode = "push_to_talk"
	HandsFree  VoiceMode = "hands_free"
)

// Theme is the colour scheme of every window.
type Theme string

// The themes.
const (
	ThemeSystem Theme = "system"
	ThemeLight  Theme = "light"
	ThemeDark   Theme = "dark"
)

// Settings is the whole settings object. API keys in it read as KeptKey where they are set.
type Settings struct {
	Workspace string            `json:"workspace"`
	Look      string            `json:"look"`
	Reasoning ReasoningSettings `json:"reasoning"`
	Speech    SpeechSettings    `json:"speech"`
	Voice     VoiceSettings     `json:"voice"`
	Companion CompanionSettings `json:"companion"`
	Theme     Theme             `json:"theme"`
}

// ReasoningSettings choose who writes the answers. An empty Model is the provider's own choice.
type ReasoningSettings struct {
	Provider Provider `json:"provider"`
	BaseURL  string   `json:"base_url"`
	APIKey   string   `json:"api_key"`
	Model    string   `json:"model"`
}

// SpeechSettings choose who recognises and who speaks.
type SpeechSettings struct {
	Recognizer  RecognizerSettings  `json:"recognizer"`
	Synthesizer SynthesizerSettings `json:"synthesizer"`
}

// RecognizerSettings choose who recognises. Language is an ISO 639-1 code, or empty to let the engine find out.
type RecognizerSettings struct {
	Engine   SpeechEngine `json:"engine"`
	BaseURL  string       `json:"base_url"`
	APIKey   string       `json:"api_key"`
	Model    string       `json:"model"`
	Language string       `json:"language"`
}

// SynthesizerSettings choose who speaks. A Voice that is set wins over the look's.
type SynthesizerSettings struct {
	Engine  SpeechEngine `json:"engine"`
	BaseURL string       `json:"base_url"`
	APIKey  string       `json:"api_key"`
	Model   string       `json:"model"`
	Voice   string       `json:"voice"`
}

// VoiceSettings are those of talking. PatienceMS is how long a pause ends an utterance in hands-free; GlobalKey is the key that
// talks from anywhere ("Ctrl+Alt+Space"), or empty for none. Empty devices are the system's own choice.
type VoiceSettings struct {
	SaveConversations bool      `json:"save_conversations"`
	Mode              VoiceMode `json:"mode"`
	WakeWord          bool      `json:"wake_word"`
	InputDevice       string    `json:"input_device"`
	OutputDevice      string    `json:"output_device"`
	PatienceMS        int       `json:"patience_ms"`
	GlobalKey         string    `json:"global_key"`
}

// CompanionSettings are those of the desktop window. Welcomed: the first start's three steps were walked through or skipped.
type CompanionSettings struct {
	Floating    bool `json:"floating"`
	AlwaysOnTop bool `json:"always_on_top"`
	Welcomed    bool `json:"welcomed"`
}

// Look is a face of Echo: its name, voice, accent colour (#rrggbb) and manner of speaking.
type Look struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Voice   string `json:"voice"`
	Accent  string `json:"accent"`
	Persona string `json:"persona"`
}
