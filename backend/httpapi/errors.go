package httpapi

import (
	"context"
	"errors"
	"net/http"

	"echo-companion/backend/echo"
	"echo-companion/backend/present"
)

// statusOf maps the code of an error to the status of an answer. It is the only place that does.
func statusOf(code echo.Code) int {
	switch code {
	case echo.CodeBadJSON, echo.CodeBadMessage, echo.CodeBadID:
		return http.StatusBadRequest
	case echo.CodeUnauthorized:
		return http.StatusUnauthorized
	case echo.CodeForbidden, echo.CodeBadTicket:
		return http.StatusForbidden
	case echo.CodeNotFound, echo.CodeUnknownChat, echo.CodeUnknownWorkspace, echo.CodeUnknownTurn:
		return http.StatusNotFound
	case echo.CodeMethod:
		return http.StatusMethodNotAllowed
	case echo.CodeReplying, echo.CodeHeld, echo.CodeNoWindow, echo.CodeNotRetryable, echo.CodeBusy, echo.CodeNotFinished,
		echo.CodeNoSpeechOpen, echo.CodeQueueFull:
		return http.StatusConflict
	case echo.CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case echo.CodeMisdirected:
		return http.StatusMisdirectedRequest
	case echo.CodeInvalid, echo.CodeIdempotencyMismatch, echo.CodeTooLong:
		return http.StatusUnprocessableEntity
	case echo.CodeEngineUnreachable, echo.CodeEngineError:
		return http.StatusBadGateway
	case echo.CodeEngineTimeout:
		return http.StatusGatewayTimeout
	case echo.CodeStorage:
		return http.StatusServiceUnavailable
	case echo.CodeInterrupted, echo.CodeInternal:
		return http.StatusInternalServerError
	}
	return http.StatusInternalServerError
}

// fail answers with an error, and logs what is not the client's doing.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // nobody is there to read it
	}
	coded := echo.AsError(err)
	status := statusOf(coded.Code)
	if status >= http.StatusInternalServerError {
		s.config.Logger.WarnContext(r.Context(), "request failed", "method", r.Method, "path", r.URL.Path, "code", string(coded.Code), "error", err)
	}
	s.reply(w, r, status, present.Error(err))
}
