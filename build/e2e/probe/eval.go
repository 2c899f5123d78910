package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"

	"github.com/coder/websocket"
)

// longest bounds a message of the inspector.
const longest = 16 << 20

// message is what the inspector says: of the page that there is, or what the page answered.
type message struct {
	Method string `json:"method"`
	Params struct {
		TargetInfo struct {
			TargetID string `json:"targetId"`
			Type     string `json:"type"`
		} `json:"targetInfo"`
		Message string `json:"message"`
	} `json:"params"`
}

type answer struct {
	ID     int `json:"id"`
	Result struct {
		Result struct {
			Value       json.RawMessage `json:"value"`
			Description string          `json:"description"`
		} `json:"result"`
		WasThrown bool `json:"wasThrown"`
	} `json:"result"`
}

// evaluate runs a script in the window of an app that was started with WEBKIT_INSPECTOR_HTTP_SERVER.
func evaluate(ctx context.Context, addr, script string, out io.Writer) error {
	socket, err := target(ctx, addr)
	if err != nil {
		return err
	}
	conn, _, err := websocket.Dial(ctx, "ws://"+addr+socket, nil) //nolint:bodyclose // the library's own
	if err != nil {
		return fmt.Errorf("reach the window: %w", err)
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(longest)
	for {
		_, data, err := conn.Read(ctx)
		if err != nil {
			return fmt.Errorf("hear from the window: %w", err)
		}
		var m message
		if err := json.Unmarshal(data, &m); err != nil {
			return err
		}
		switch m.Method {
		case "Target.targetCreated":
			if m.Params.TargetInfo.Type == "page" {
				if err := ask(ctx, conn, m.Params.TargetInfo.TargetID, script); err != nil {
					return err
				}
			}
		case "Target.dispatchMessageFromTarget":
			var a answer
			if err := json.Unmarshal([]byte(m.Params.Message), &a); err != nil || a.ID != 1 {
				continue
			}
			if a.Result.WasThrown {
				return errors.New(a.Result.Result.Description)
			}
			_, err := fmt.Fprintln(out, string(a.Result.Result.Value))
			return err
		}
	}
}

func target(ctx context.Context, addr string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/", nil) //nolint:gosec // the address that the caller names
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request) //nolint:gosec // the same
	if err != nil {
		return "", fmt.Errorf("reach the window's inspector: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	page, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	socket := regexp.MustCompile(`/socket/\d+/\d+/WebPage`).Find(page)
	if socket == nil {
		return "", errors.New("the inspector knows no page")
	}
	return string(socket), nil
}

func ask(ctx context.Context, conn *websocket.Conn, target, script string) error {
	inner, err := json.Marshal(map[string]any{
		"id": 1, "method": "Runtime.evaluate", "params": map[string]any{"expression": script, "returnByValue": true},
	})
	if err != nil {
		return err
	}
	outer, err := json.Marshal(map[string]any{
		"id": 2, "method": "Target.sendMessageToTarget", "params": map[string]any{"targetId": target, "message": string(inner)},
	})
	if err != nil {
		return err
	}
	return conn.Write(ctx, websocket.MessageText, outer)
}
