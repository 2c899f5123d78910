package protocol

// Health answers GET /healthz.
type Health struct {
	Status  string `json:"status" const:"ok"`
	Version string `json:"version"`
}

// EngineState is what is known of an engine.
type EngineState string

// The states of an engine.
const (
	EngineStopped  EngineState = "stopped"
	EngineStarting EngineState = "starting"
	EngineReady    EngineState = "ready"
	EngineFailed   EngineState = "failed"
)

// Engine reports on one engine. Problem says what is wrong and what to do; it is empty when nothing is.
type Engine struct {
	Name    string      `json:"name"`
	State   EngineState `json:"state"`
	Problem string      `json:"problem"`
}

// Engines are those that a reply needs.
type Engines struct {
	Recognizer  Engine `json:"recognizer"`
	Synthesizer Engine `json:"synthesizer"`
	Reasoning   Engine `json:"reasoning"`
}

// VoiceStatus is the part of the status that concerns the voice conversation.
type VoiceStatus struct {
	Held bool `json:"held"`
	Busy bool `json:"busy"`
}

// ChatStatus counts the chats whose reply is written, or waits.
type ChatStatus struct {
	Replying int `json:"replying"`
	Waiting  int `json:"waiting"`
}

// Status answers GET /api/status. Data is the folder in which all that Echo keeps lies.
type Status struct {
	Version   string      `json:"version"`
	Data      string      `json:"data"`
	Workspace string      `json:"workspace"`
	Engines   Engines     `json:"engines"`
	Voice     VoiceStatus `json:"voice"`
	Chat      ChatStatus  `json:"chat"`
}

// Model is a reasoning model that can be chosen. Local: it runs on this machine.
type Model struct {
	ID       string `json:"id"`
	Provider string `json:"provider"`
	Name     string `json:"name"`
	Local    bool   `json:"local"`
}

// Models answers GET /api/models: what can be chosen now, and who could not be asked and why.
type Models struct {
	Models   []Model  `json:"models"`
	Problems []Engine `json:"problems"`
}

// Workspace is one workspace, with the folder for the user's files.
type Workspace struct {
	Name    string `json:"name"`
	Folder  string `json:"folder"`
	Current bool   `json:"current"`
}

// Workspaces answers GET /api/workspaces.
type Workspaces struct {
	Workspaces []Workspace `json:"workspaces"`
}

// NewWorkspace is the body of POST /api/workspaces.
type NewWorkspace struct {
	Name string `json:"name"`
}

// WorkspacePatch is the body of PATCH /api/workspaces/{name}. An empty folder is the workspace's own.
type WorkspacePatch struct {
	Folder string `json:"folder"`
}

// PreviewRequest is the body of POST /api/speech/preview. An empty voice is the one in use.
type PreviewRequest struct {
	Voice string `json:"voice,omitempty"`
	Text  string `json:"text"`
}

// CompanionAction moves the desktop window.
type CompanionAction string

// The actions of the desktop window.
const (
	CompanionShow CompanionAction = "show"
	CompanionFold CompanionAction = "fold"
	CompanionTalk CompanionAction = "talk"
)

// CompanionRequest is the body of POST /api/companion.
type CompanionRequest struct {
	Action CompanionAction `json:"action"`
}
