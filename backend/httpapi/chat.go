package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"echo-companion/backend/chat"
	"echo-companion/backend/echo"
	"echo-companion/backend/present"
	"echo-companion/backend/protocol"
)

const maxKey = 255 // characters of an Idempotency-Key

func (s *Server) listChats(w http.ResponseWriter, r *http.Request) error {
	limit, err := limitOf(r)
	if err != nil {
		return err
	}
	chats, err := s.ports.Chats(r.Context())
	if err != nil {
		return err
	}
	rows, next, err := chats.List(r.Context(), r.URL.Query().Get("before"), limit)
	if err != nil {
		return err
	}
	s.reply(w, r, http.StatusOK, present.ChatList(rows, next))
	return nil
}

// limitOf is the limit of a page: one beyond the bound is taken as the bound.
func limitOf(r *http.Request) (int, error) {
	text := r.URL.Query().Get("limit")
	if text == "" {
		return protocol.DefaultPage, nil
	}
	limit, err := strconv.Atoi(text) // one out of range is the greatest or least number
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, echo.Errorf(echo.CodeInvalid, "The parameter %q must be a number from 1 to %d.", "limit", protocol.MaxPage)
	}
	return min(max(limit, 1), protocol.MaxPage), nil
}

func (s *Server) createChat(w http.ResponseWriter, r *http.Request) error {
	var request protocol.ChatTitle
	if err := decodeOptional(w, r, &request); err != nil {
		return err
	}
	chats, err := s.ports.Chats(r.Context())
	if err != nil {
		return err
	}
	row, err := chats.Create(r.Context(), request.Title)
	if err != nil {
		return err
	}
	s.reply(w, r, http.StatusCreated, present.ChatRow(row))
	return nil
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) error {
	limit, err := limitOf(r)
	if err != nil {
		return err
	}
	before := 0
	if text := r.URL.Query().Get("before"); text != "" {
		if before, err = strconv.Atoi(text); err != nil || before < 1 {
			return echo.Errorf(echo.CodeInvalid, "The parameter %q must be the number of a message.", "before")
		}
	}
	chats, err := s.ports.Chats(r.Context())
	if err != nil {
		return err
	}
	row, items, summary, err := chats.Get(r.Context(), r.PathValue("sid"), before, limit)
	if err != nil {
		return err
	}
	s.reply(w, r, http.StatusOK, present.ChatPage(row, items, summary))
	return nil
}

func (s *Server) renameChat(w http.ResponseWriter, r *http.Request) error {
	var request struct {
		Title *string `json:"title"`
	}
	if err := decode(w, r, &request); err != nil {
		return err
	}
	if request.Title == nil {
		return missing("title")
	}
	chats, err := s.ports.Chats(r.Context())
	if err != nil {
		return err
	}
	row, err := chats.Rename(r.Context(), r.PathValue("sid"), *request.Title)
	if err != nil {
		return err
	}
	s.reply(w, r, http.StatusOK, present.ChatRow(row))
	return nil
}

func (s *Server) deleteChat(w http.ResponseWriter, r *http.Request) error {
	chats, err := s.ports.Chats(r.Context())
	if err != nil {
		return err
	}
	if err := chats.Delete(r.Context(), r.PathValue("sid")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Server) search(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	if !query.Has("q") {
		return echo.Errorf(echo.CodeInvalid, "The parameter %q is missing: it is what to search for.", "q")
	}
	chats, err := s.ports.Chats(r.Context())
	if err != nil {
		return err
	}
	hits, err := chats.Search(r.Context(), query.Get("q"))
	if err != nil {
		return err
	}
	s.reply(w, r, http.StatusOK, present.Hits(hits))
	return nil
}

func (s *Server) exportChat(w http.ResponseWriter, r *http.Request) error {
	format := r.URL.Query().Get("format")
	if format != "markdown" && format != "json" {
		return echo.Errorf(echo.CodeInvalid, "The parameter %q must be markdown or json.", "format")
	}
	chats, err := s.ports.Chats(r.Context())
	if err != nil {
		return err
	}
	transcript, err := chats.Export(r.Context(), r.PathValue("sid"))
	if err != nil {
		return err
	}
	data, kind, ending := []byte(transcript.Markdown()), "text/markdown; charset=utf-8", ".md"
	if format == "json" {
		kind, ending = "application/json; charset=utf-8", ".json"
		if data, err = json.MarshalIndent(transcript, "", "  "); err != nil {
			return fmt.Errorf("encode export: %w", err)
		}
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": fileName(transcript.Title) + ending}))
	_, _ = w.Write(data) //nolint:gosec // a download, never a page: Content-Disposition and nosniff say so
	return nil
}

// fileName is a title as the name of a file on any system.
func fileName(title string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" -_.,()'", r) {
			return r
		}
		return -1
	}, title)
	if name = strings.Trim(name, " ."); name == "" {
		return "Chat"
	}
	return name
}

func (s *Server) importChat(w http.ResponseWriter, r *http.Request) error {
	var transcript chat.Transcript
	err := decode(w, r, &transcript)
	if echo.CodeOf(err) == echo.CodeTooLarge {
		return echo.Errorf(echo.CodeTooLarge, "This chat is larger than 1 MiB, the most that can be imported. Export it as Markdown to read it elsewhere.").Because(err)
	}
	if err != nil {
		return err
	}
	chats, err := s.ports.Chats(r.Context())
	if err != nil {
		return err
	}
	row, err := chats.Import(r.Context(), transcript)
	if err != nil {
		return err
	}
	s.reply(w, r, http.StatusCreated, present.ChatRow(row))
	return nil
}

func (s *Server) ask(w http.ResponseWriter, r *http.Request) error {
	var request protocol.ChatQuestion
	if err := decode(w, r, &request); err != nil {
		return err
	}
	key := r.Header.Get("Idempotency-Key")
	switch {
	case strings.TrimSpace(request.Message) == "":
		return missing("message")
	case utf8.RuneCountInString(request.Message) > protocol.MaxMessage:
		return echo.Errorf(echo.CodeInvalid, "The field %q is longer than %d characters. Shorten it.", "message", protocol.MaxMessage)
	case utf8.RuneCountInString(key) > maxKey:
		return echo.Errorf(echo.CodeInvalid, "The header %q is longer than %d characters.", "Idempotency-Key", maxKey)
	}
	question := chat.Question{Chat: request.Session, Text: request.Message, Model: request.Model, Key: key, Digest: digest(request)}
	return s.streamReply(w, r, func(ctx context.Context, _ int) (watched, error) {
		chats, err := s.ports.Chats(ctx)
		if err != nil {
			return nil, err
		}
		return watching(chats.Ask(ctx, question))
	})
}

// digest tells one question from another, whatever the spaces and the order of fields in the body were.
func digest(request protocol.ChatQuestion) string {
	data, err := json.Marshal(request)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// watching keeps a nil *chat.Watch from becoming an interface that is not nil.
func watching(watch *chat.Watch, err error) (watched, error) {
	if err != nil {
		return nil, err
	}
	return watch, nil
}

func (s *Server) watchReply(w http.ResponseWriter, r *http.Request) error {
	return s.streamReply(w, r, func(ctx context.Context, after int) (watched, error) {
		chats, err := s.ports.Chats(ctx)
		if err != nil {
			return nil, err
		}
		return watching(chats.Watch(ctx, r.PathValue("sid"), after))
	})
}

func (s *Server) retryReply(w http.ResponseWriter, r *http.Request) error {
	return s.streamReply(w, r, func(ctx context.Context, _ int) (watched, error) {
		chats, err := s.ports.Chats(ctx)
		if err != nil {
			return nil, err
		}
		return watching(chats.Retry(ctx, r.PathValue("sid")))
	})
}

func (s *Server) stopReply(w http.ResponseWriter, r *http.Request) error {
	chats, err := s.ports.Chats(r.Context())
	if err != nil {
		return err
	}
	stopped, err := chats.Stop(r.Context(), r.PathValue("sid"))
	if err != nil {
		return err
	}
	s.reply(w, r, http.StatusOK, protocol.StoppedAnswer{Stopped: stopped})
	return nil
}
