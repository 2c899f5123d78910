package httpapi

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/protocol"
)

// limited bounds every body, also one that nothing reads.
func limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, protocol.MaxBody)
		next.ServeHTTP(w, r)
	})
}

// reply answers with JSON.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, status int, value any) {
	data, err := json.Marshal(value)
	if err != nil {
		s.config.Logger.ErrorContext(r.Context(), "answer cannot be encoded", "path", r.URL.Path, "error", err)
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // a client that is gone cannot be told
}

// body reads a whole body, of at most protocol.MaxBody bytes.
func body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyPatience)) // a recorder in a test has none
	data, err := io.ReadAll(r.Body)
	_ = control.SetReadDeadline(time.Time{})
	if err == nil {
		return data, nil
	}
	if _, is := errors.AsType[*http.MaxBytesError](err); is {
		return nil, echo.Errorf(echo.CodeTooLarge, "The body is larger than 1 MiB. Send less at once.").Because(err)
	}
	return nil, echo.Errorf(echo.CodeBadJSON, "The body did not arrive whole. Send it again.").Because(err)
}

// decode reads a JSON object into value. Fields that are not known are ignored.
func decode(w http.ResponseWriter, r *http.Request, value any) error {
	data, err := body(w, r)
	if err != nil {
		return err
	}
	return unmarshal(data, value)
}

// decodeOptional is decode for bodies that need not be there.
func decodeOptional(w http.ResponseWriter, r *http.Request, value any) error {
	data, err := body(w, r)
	if err != nil || len(data) == 0 {
		return err
	}
	return unmarshal(data, value)
}

func unmarshal(data []byte, value any) error {
	var object map[string]json.RawMessage
	if !json.Valid(data) {
		return echo.Errorf(echo.CodeBadJSON, "The body is not valid JSON. Send one JSON object.")
	}
	if err := json.Unmarshal(data, &object); err != nil || object == nil {
		return echo.Errorf(echo.CodeInvalid, "The body must be a JSON object.")
	}
	err := json.Unmarshal(data, value)
	if mismatch, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		return echo.Errorf(echo.CodeInvalid, "The field %q cannot be a %s.", mismatch.Field, mismatch.Value)
	}
	if err != nil { // a value that refuses itself, such as a time
		return echo.Errorf(echo.CodeInvalid, "A field of the body has a value that cannot be read.").Because(err)
	}
	return nil
}

func missing(field string) error {
	return echo.Errorf(echo.CodeInvalid, "The field %q is missing or empty.", field)
}
