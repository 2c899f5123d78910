package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"echo-companion/backend/protocol"
	"echo-companion/backend/workspace"
)

// serve runs the API and the dashboard without a window until ctx ends.
func serve(ctx context.Context, in Invocation, o Options, logger *slog.Logger) error {
	b, err := compose(ctx, in, o, nil, logger)
	if err != nil {
		return showFirst(ctx, in, err)
	}
	return b.run(ctx)
}

// runDesktop runs the backend with the window on top of it.
func runDesktop(ctx context.Context, in Invocation, o Options, logger *slog.Logger) error {
	desktop := NewDesktop()
	if !HasWindow {
		return desktop.Run(ctx, Core{})
	}
	b, err := compose(ctx, in, o, desktop.Companion, logger)
	if err != nil {
		return showFirst(ctx, in, err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		ended <- b.run(ctx)
		stop() // without its backend the window has nothing to show
	}()
	err = desktop.Run(ctx, b.core())
	stop()
	return errors.Join(err, <-ended)
}

// showFirst is what a second start comes to: it shows the first's window, where that has one. Any other error stays as it is.
func showFirst(ctx context.Context, in Invocation, err error) error {
	held, is := errors.AsType[*workspace.HeldError](err)
	if !is || held.Server.Addr == "" {
		return err
	}
	if shown := showWindow(ctx, held); shown != nil {
		return held // no window: who holds the folder, and where its dashboard is
	}
	_, printed := fmt.Fprintln(in.Stdout, "Echo is running already: its window is shown.")
	return printed
}

// showWindow asks the process that holds the data folder to show its window.
func showWindow(ctx context.Context, held *workspace.HeldError) error {
	token, err := workspace.ReadToken(held.Dir)
	if err != nil {
		return err
	}
	body, err := json.Marshal(protocol.CompanionRequest{Action: protocol.CompanionShow})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+held.Server.Addr+"/api/companion", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("the first Echo answered %s", response.Status)
	}
	return nil
}
