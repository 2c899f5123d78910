package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"echo-companion/backend/audio/wav"
	"echo-companion/backend/echo"
	"echo-companion/backend/present"
	"echo-companion/backend/protocol"
	"echo-companion/backend/settings"
)

const (
	modelsPatience = 5 * time.Second // for engines to say what models they have
	maxPreview     = 500             // code points; a sample of a voice, not a reading
)

func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.fail(w, r, echo.Errorf(echo.CodeMethod, "%s cannot be used here. Use GET.", r.Method))
		return
	}
	s.reply(w, r, http.StatusOK, protocol.Health{Status: "ok", Version: s.config.Version})
}

func (s *Server) status(w http.ResponseWriter, r *http.Request) error {
	status, err := s.Status(r.Context())
	if err != nil {
		return err
	}
	s.reply(w, r, http.StatusOK, status)
	return nil
}

// Status is how Echo stands. It starts nothing.
func (s *Server) Status(ctx context.Context) (protocol.Status, error) {
	state, err := s.ports.Conversation.State(ctx)
	if err != nil {
		return protocol.Status{}, err
	}
	engines := s.ports.Engines()
	status := protocol.Status{
		Version:   s.config.Version,
		Data:      s.config.Data,
		Workspace: s.ports.Settings.Get().Workspace,
		Engines: protocol.Engines{
			Recognizer: present.Engine(engines.Recognizer), Synthesizer: present.Engine(engines.Synthesizer), Reasoning: present.Engine(engines.Reasoning),
		},
		Voice: protocol.VoiceStatus{Held: state.Held, Busy: state.Busy},
	}
	// The status must be told when the database cannot be opened, too: it is where one looks then.
	if chats, err := s.ports.Chats(ctx); err == nil {
		status.Chat.Replying, status.Chat.Waiting = chats.Activity()
	}
	return status, nil
}

func (s *Server) settings(w http.ResponseWriter, r *http.Request) error {
	s.reply(w, r, http.StatusOK, s.ports.Settings.Public())
	return nil
}

func (s *Server) patchSettings(w http.ResponseWriter, r *http.Request) error {
	patch, err := body(w, r)
	if err != nil {
		return err
	}
	after, err := s.ports.Settings.Patch(r.Context(), patch)
	if err != nil {
		return err
	}
	s.reply(w, r, http.StatusOK, settings.Masked(after))
	return nil
}

func (s *Server) looks(w http.ResponseWriter, r *http.Request) error {
	s.reply(w, r, http.StatusOK, present.Looks(settings.Looks()))
	return nil
}

func (s *Server) models(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), modelsPatience)
	defer cancel()
	models, problems := s.ports.Models(ctx)
	s.reply(w, r, http.StatusOK, present.Models(models, problems))
	return nil
}

func (s *Server) workspaces(w http.ResponseWriter, r *http.Request) error {
	list, err := s.ports.Workspaces.List(r.Context())
	if err != nil {
		return err
	}
	answer := protocol.Workspaces{Workspaces: make([]protocol.Workspace, 0, len(list))}
	for _, workspace := range list {
		answer.Workspaces = append(answer.Workspaces, s.workspaceRow(workspace))
	}
	s.reply(w, r, http.StatusOK, answer)
	return nil
}

func (s *Server) workspaceRow(workspace Workspace) protocol.Workspace {
	return protocol.Workspace{
		Name: workspace.Name, Folder: workspace.Folder, Current: workspace.Name == s.ports.Settings.Get().Workspace,
	}
}

func (s *Server) createWorkspace(w http.ResponseWriter, r *http.Request) error {
	var request protocol.NewWorkspace
	if err := decode(w, r, &request); err != nil {
		return err
	}
	if request.Name == "" {
		return missing("name")
	}
	workspace, err := s.ports.Workspaces.Create(r.Context(), request.Name)
	if err != nil {
		return err
	}
	s.reply(w, r, http.StatusCreated, s.workspaceRow(workspace))
	return nil
}

func (s *Server) patchWorkspace(w http.ResponseWriter, r *http.Request) error {
	var request struct {
		Folder *string `json:"folder"`
	}
	if err := decode(w, r, &request); err != nil {
		return err
	}
	if request.Folder == nil {
		return missing("folder")
	}
	workspace, err := s.ports.Workspaces.SetFolder(r.Context(), r.PathValue("name"), *request.Folder)
	if err != nil {
		return err
	}
	s.reply(w, r, http.StatusOK, s.workspaceRow(workspace))
	return nil
}

func (s *Server) preview(w http.ResponseWriter, r *http.Request) error {
	var request protocol.PreviewRequest
	if err := decode(w, r, &request); err != nil {
		return err
	}
	switch {
	case strings.TrimSpace(request.Text) == "":
		return missing("text")
	case utf8.RuneCountInString(request.Text) > maxPreview:
		return echo.Errorf(echo.CodeInvalid, "The field %q is longer than %d characters.", "text", maxPreview)
	}
	pcm, err := s.ports.Preview(r.Context(), request.Voice, request.Text)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "audio/wav")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(wav.Encode(pcm, protocol.OutputRate)) // a client that is gone cannot be told
	return nil
}

func (s *Server) companion(w http.ResponseWriter, r *http.Request) error {
	var request protocol.CompanionRequest
	if err := decode(w, r, &request); err != nil {
		return err
	}
	switch request.Action {
	case protocol.CompanionShow, protocol.CompanionFold, protocol.CompanionTalk:
	default:
		return echo.Errorf(echo.CodeInvalid, "The field %q must be show, fold or talk.", "action")
	}
	if s.ports.Companion == nil {
		return echo.Errorf(echo.CodeNoWindow, "Echo runs without a window here. Start echo-companion on the desktop to have one.")
	}
	if err := s.ports.Companion(r.Context(), request.Action); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
