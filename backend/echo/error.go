package echo

import (
	"errors"
	"fmt"
)

// Code names an error for programs. Borders map it to a status once.
type Code string

// The codes of the protocol.
const (
	CodeBadJSON             Code = "bad_json"
	CodeInvalid             Code = "invalid"
	CodeTooLarge            Code = "too_large"
	CodeUnauthorized        Code = "unauthorized"
	CodeForbidden           Code = "forbidden"
	CodeMisdirected         Code = "misdirected"
	CodeNotFound            Code = "not_found"
	CodeMethod              Code = "method_not_allowed"
	CodeUnknownChat         Code = "unknown_chat"
	CodeUnknownWorkspace    Code = "unknown_workspace"
	CodeReplying            Code = "replying"
	CodeHeld                Code = "held"
	CodeNoWindow            Code = "no_window"
	CodeBadTicket           Code = "bad_ticket"
	CodeNotRetryable        Code = "not_retryable"
	CodeIdempotencyMismatch Code = "idempotency_mismatch"
	CodeBadMessage          Code = "bad_message"
	CodeBadID               Code = "bad_id"
	CodeQueueFull           Code = "queue_full"
	CodeUnknownTurn         Code = "unknown_turn"
	CodeTooLong             Code = "too_long"
	CodeNotFinished         Code = "not_finished"
	CodeBusy                Code = "busy"
	CodeNoSpeechOpen        Code = "no_speech_open"
	CodeInterrupted         Code = "interrupted"
	CodeEngineUnreachable   Code = "engine_unreachable"
	CodeEngineError         Code = "engine_error"
	CodeEngineTimeout       Code = "engine_timeout"
	CodeStorage             Code = "storage"
	CodeInternal            Code = "internal"
)

// Error is an error that a person can act on. Err is the cause, for the log alone.
type Error struct {
	Code    Code
	Message string
	Err     error
}

// Errorf makes a coded error from a message for people.
func Errorf(code Code, format string, values ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, values...)}
}

// Stopping refuses what is asked while Echo ends.
func Stopping() *Error {
	return Errorf(CodeStorage, "Echo is shutting down. Start it again and ask once more.")
}

// CutOff is what became of a reply that a crash or a stop of Echo cut off.
func CutOff() *Error {
	return Errorf(CodeInterrupted, "Echo was cut off while it answered. Try again to ask once more.")
}

// Error implements error.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Because returns a copy of e that carries its cause.
func (e *Error) Because(err error) *Error {
	return &Error{Code: e.Code, Message: e.Message, Err: err}
}

// AsError gives the coded error inside err. An error without one shows as an internal error: its text is for the log.
func AsError(err error) *Error {
	if coded, found := errors.AsType[*Error](err); found {
		return coded
	}
	return &Error{Code: CodeInternal, Message: "internal error", Err: err}
}

// CodeOf is the code of err, or CodeInternal.
func CodeOf(err error) Code { return AsError(err).Code }
