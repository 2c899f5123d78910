package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"echo-companion/backend/echo"
)

// failed is what people are told of an exchange that did not come to its end.
func (c *call) failed(err error) error {
	switch {
	case c.parent.Err() != nil:
		return c.parent.Err()
	case errors.Is(context.Cause(c.ctx), errSilent):
		return echo.Errorf(echo.CodeEngineTimeout, "The %s at %s sent nothing for %s. See whether it is busy or hangs, and try again.",
			c.noun, c.server.BaseURL, strconv.FormatFloat(c.client.timeout.Seconds(), 'f', -1, 64)+" s").Because(err)
	case strings.Contains(err.Error(), "malformed HTTP"): // net/http has no error value for it
		return c.nonsense(err)
	default:
		return echo.Errorf(echo.CodeEngineUnreachable, "The %s at %s cannot be reached. Start it, or change its address in Settings, under Speech.",
			c.noun, c.server.BaseURL).Because(err)
	}
}

// broken is what people are told of an answer that was cut off.
func (c *call) broken(err error) error {
	if c.parent.Err() != nil || errors.Is(context.Cause(c.ctx), errSilent) {
		return c.failed(err)
	}
	return echo.Errorf(echo.CodeEngineError, "The %s at %s broke off its answer. Try again, and look at its log if it stays.", c.noun, c.server.BaseURL).Because(err)
}

func (c *call) nonsense(err error) error {
	return echo.Errorf(echo.CodeEngineError, "The %s at %s gave an answer that Echo cannot read. Check that its address in Settings, under Speech, is that of an OpenAI-compatible server (it ends in /v1).",
		c.noun, c.server.BaseURL).Because(err)
}

// refused is what people are told of an HTTP status.
func (c *call) refused(status int, reason string) error {
	advice := "Look at its log, and try again."
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		advice = "Check the API key in Settings, under Speech."
	case http.StatusNotFound:
		advice = "Check its address and the model " + strconv.Quote(c.server.Model) + " in Settings, under Speech."
	case http.StatusTooManyRequests:
		advice = "It takes no more for now: wait a little, or look at the account's limits."
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		advice = "Check the model and the voice in Settings, under Speech."
	}
	told := ""
	if reason != "" {
		told = " (" + reason + ")"
	}
	return echo.Errorf(echo.CodeEngineError, "The %s at %s answered with the status %d%s. %s", c.noun, c.server.BaseURL, status, told, advice).
		Because(fmt.Errorf("status %d", status))
}
