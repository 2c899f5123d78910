package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/refusal"
)

const (
	maxError = 64 << 10 // of an error's body, in bytes
	maxList  = 8 << 20  // of a list of models
)

// errSilent is the cause of a request's end when the server sent nothing for too long.
var errSilent = errors.New("the engine sent nothing for too long")

// errDrained is the cause when an answer was over and its connection stayed open.
var errDrained = errors.New("the answer was over")

// exchange is a request that the server accepted, and its answer's body.
type exchange struct {
	parent context.Context //nolint:containedctx // an exchange lives within one call
	ctx    context.Context //nolint:containedctx // as above; it ends when the server falls silent as well
	cancel context.CancelCauseFunc
	timer  *time.Timer
	last   *time.Timer // set once the answer is over
	limit  time.Duration
	body   io.ReadCloser
}

// Read reads the body. Only the time spent in waiting for the server counts.
func (e *exchange) Read(p []byte) (int, error) {
	e.timer.Reset(e.limit)
	n, err := e.body.Read(p)
	e.timer.Stop()
	return n, err
}

// drain gives the server a moment to end the connection in order, so that it can be used again.
func (e *exchange) drain(grace time.Duration) {
	e.limit = grace
	e.last = time.AfterFunc(grace, func() { e.cancel(errDrained) })
}

// close ends the exchange and its connection, unless that was read to its end.
func (e *exchange) close() {
	e.timer.Stop()
	if e.last != nil {
		e.last.Stop()
	}
	_ = e.body.Close()
	e.cancel(nil)
}

// send sends one request and returns once the server has accepted it.
func (c *Client) send(ctx context.Context, method, path string, body []byte) (*exchange, error) {
	if problem := c.addressProblem(); problem != nil {
		return nil, problem
	}
	within, cancel := context.WithCancelCause(ctx)
	e := &exchange{parent: ctx, ctx: within, cancel: cancel, limit: c.config.EngineTimeout}
	request, err := http.NewRequestWithContext(within, method, c.config.BaseURL+path, bytes.NewReader(body))
	if err != nil {
		cancel(nil)
		return nil, c.fail(echo.CodeEngineError, "The address of %s is not valid. Check it in Settings.", lower(c.config.Name)).Because(err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("Accept", "text/event-stream, application/json")
	// Never sent, but makes a request on a connection that the server has just closed be sent again on another.
	request.Header["Idempotency-Key"] = []string{}
	if c.config.APIKey != "" {
		request.Header.Set("Authorization", "Bearer "+c.config.APIKey)
	}
	e.timer = time.AfterFunc(e.limit, func() { cancel(errSilent) })
	response, err := c.http.Do(request) //nolint:bodyclose // close does, once the exchange is over
	e.timer.Stop()
	if err != nil {
		cancel(nil)
		return nil, c.sendFailure(e, err)
	}
	e.body = response.Body
	if response.StatusCode != http.StatusOK {
		defer e.close()
		return nil, c.statusFailure(e, response.StatusCode)
	}
	return e, nil
}

// Get asks for a JSON document below the base URL.
func (c *Client) Get(ctx context.Context, path string, into any) error {
	e, err := c.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer e.close()
	data, err := io.ReadAll(io.LimitReader(e, maxList))
	if err != nil {
		return c.readFailure(e, err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return c.fail(echo.CodeEngineError, "%s answers nonsense. Check that its address in Settings is that of an OpenAI-compatible server.", c.config.Name).Because(err)
	}
	return nil
}

// fail makes an error for people. The API key never shows in it.
func (c *Client) fail(code echo.Code, format string, values ...any) *echo.Error {
	return &echo.Error{Code: code, Message: c.secret.Replace(fmt.Sprintf(format, values...))}
}

// ended gives the error of an exchange that its asker or its silence ended; nil if neither did.
func (c *Client) ended(e *exchange) error {
	switch {
	case e.parent.Err() != nil:
		return e.parent.Err()
	case errors.Is(context.Cause(e.ctx), errSilent):
		return c.fail(echo.CodeEngineTimeout, "%s sent nothing for %v. Try again; if it happens often, choose a smaller or faster model.", c.config.Name, c.config.EngineTimeout)
	}
	return nil
}

// sendFailure tells why a request got no answer at all.
func (c *Client) sendFailure(e *exchange, err error) error {
	if ended := c.ended(e); ended != nil {
		return ended
	}
	var (
		lookup *net.DNSError
		code   = echo.CodeEngineUnreachable
	)
	if errors.As(err, &lookup) {
		return c.fail(code, "%s cannot be found. Check its address in Settings and the network.", c.config.Name).Because(err)
	}
	return c.fail(code, "%s cannot be reached. Check that it runs and that its address in Settings is right.", c.config.Name).Because(err)
}

// readFailure tells why an answer broke off.
func (c *Client) readFailure(e *exchange, err error) error {
	if ended := c.ended(e); ended != nil {
		return ended
	}
	return c.fail(echo.CodeEngineError, "%s broke off in the middle of its answer. Try again.", c.config.Name).Because(err)
}

// refused is the cause of an error that the server answered with.
type refused struct {
	status int
	words  string
}

// Error implements error.
func (r *refused) Error() string { return fmt.Sprintf("http status %d: %s", r.status, r.words) }

// statusFailure tells what the server refused.
func (c *Client) statusFailure(e *exchange, status int) error {
	data, err := io.ReadAll(io.LimitReader(e, maxError))
	if ended := c.ended(e); err != nil && ended != nil {
		return ended
	}
	own := refusal.Words(data)
	words := refusal.Short(own)
	advice := "Try again, or look at that server's log."
	switch {
	case status >= 300 && status < 400:
		advice = "It sends its callers elsewhere: check its address in Settings."
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		advice = "Check the API key in Settings."
	case status == http.StatusNotFound:
		advice = "Check the model and the address in Settings; the address usually ends in /v1."
	case status == http.StatusTooManyRequests:
		advice = "Wait a moment, or check your plan there."
	case status < http.StatusBadRequest:
		advice = "Check that its address in Settings is that of an OpenAI-compatible server."
	}
	if words != "" {
		words = ": " + words
	}
	return c.fail(echo.CodeEngineError, "%s answered with the error %d%s. %s", c.config.Name, status, words, advice).
		Because(&refused{status: status, words: c.secret.Replace(own)})
}

// addressProblem says what is wrong with the address itself.
func (c *Client) addressProblem() *echo.Error {
	if c.config.BaseURL == "" {
		return c.fail(echo.CodeEngineError, "No address is set for the reasoning server. Enter one in Settings, for example http://127.0.0.1:8080/v1.")
	}
	address, err := url.Parse(c.config.BaseURL)
	if err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Host == "" {
		return c.fail(echo.CodeEngineError, "The address %q is not one of a server. Enter one like http://127.0.0.1:8080/v1 in Settings.", c.config.BaseURL)
	}
	return nil
}

// lower puts a name into the middle of a sentence.
func lower(name string) string {
	if rest, found := strings.CutPrefix(name, "The "); found {
		return "the " + rest
	}
	return name
}
