package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"runtime"
	"time"

	"echo-companion/backend/workspace"
)

// openDashboard opens the running Echo's dashboard in the browser, signed in.
func openDashboard(ctx context.Context, in Invocation, o Options) error {
	server, alive := aliveServer(ctx, o.Data)
	if !alive {
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

// aliveServer is the Echo that holds a data folder. One that crashed leaves its server.json behind: only one that answers counts.
func aliveServer(ctx context.Context, data string) (server workspace.Server, alive bool) {
	server, err := workspace.ReadServer(data)
	if err != nil || server.Addr == "" {
		return server, false
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+server.Addr+"/healthz", nil)
	if err != nil {
		return server, false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return server, false
	}
	_ = response.Body.Close()
	return server, response.StatusCode == http.StatusOK
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
