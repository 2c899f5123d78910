package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/coder/websocket"
)

// take takes the conversation over, as a browser does, prints what it is told, and holds it until it is ended.
func take(ctx context.Context, address, token string, out io.Writer) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/api/voice/sessions", bytes.NewBufferString(`{"take": true}`)) //nolint:gosec // the address that the caller names
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request) //nolint:gosec // the same
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	var grant struct{ Ticket string }
	if err := json.NewDecoder(response.Body).Decode(&grant); err != nil {
		return err
	}
	options := &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}}
	conn, _, err := websocket.Dial(ctx, address+"/api/voice/stream?ticket="+grant.Ticket, options) //nolint:bodyclose // the library's own
	if err != nil {
		return err
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(longest)
	for {
		kind, data, err := conn.Read(ctx)
		if err != nil {
			return err
		}
		if kind == websocket.MessageText {
			_, _ = fmt.Fprintf(out, "%s\n", data)
		}
	}
}
