package app

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"

	"echo-companion/backend/workspace"
)

// openDashboard opens the running Echo's dashboard in the browser, signed in.
func openDashboard(ctx context.Context, in Invocation, o Options) error {
	server, err := workspace.ReadServer(o.Data)
	if err != nil || server.Addr == "" {
		return errors.New("no Echo is running with the data in " + o.Data + ": start one with `echo-companion` or `echo-companion serve`")
	}
	token, err := workspace.ReadToken(o.Data)
	if err != nil {
		return fmt.Errorf("read the access token: %w", err)
	}
	address := "http://" + server.Addr + "/?token=" + token
	if err := openInBrowser(ctx, address); err != nil {
		_, err = fmt.Fprintf(in.Stdout, "No browser could be started. Open this address yourself, and keep it to yourself: it signs in.\n%s\n", address)
		return err
	}
	_, err = fmt.Fprintf(in.Stdout, "The dashboard opens in your browser: http://%s\n", server.Addr)
	return err
}

// openInBrowser hands an address to the system's default browser.
func openInBrowser(ctx context.Context, address string) error {
	switch runtime.GOOS {
	case "darwin":
		return exec.CommandContext(ctx, "open", address).Run()
	case "windows":
		return exec.CommandContext(ctx, "rundll32", "url.dll,FileProtocolHandler", address).Run()
	}
	return exec.CommandContext(ctx, "xdg-open", address).Run()
}
