package httpapi

import (
	"net/http"

	"echo-companion/backend/present"
	"echo-companion/backend/protocol"
)

func (s *Server) conversation(w http.ResponseWriter, r *http.Request) error {
	state, err := s.ports.Conversation.State(r.Context())
	if err != nil {
		return err
	}
	s.reply(w, r, http.StatusOK, present.State(state))
	return nil
}

func (s *Server) reserve(w http.ResponseWriter, r *http.Request) error {
	var request protocol.SessionRequest
	if err := decodeOptional(w, r, &request); err != nil {
		return err
	}
	grant, err := s.ports.Conversation.Reserve(r.Context(), present.SessionRequest(request))
	if err != nil {
		return err
	}
	s.reply(w, r, http.StatusOK, present.Grant(grant))
	return nil
}

func (s *Server) endConversation(w http.ResponseWriter, r *http.Request) error {
	ended, err := s.ports.Conversation.End(r.Context())
	if err != nil {
		return err
	}
	s.reply(w, r, http.StatusOK, protocol.EndedAnswer{Ended: ended})
	return nil
}
