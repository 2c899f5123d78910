// Command echo-companion is Echo: the desktop app when it is started bare, and the same API without a window by `serve`.
package main

import (
	"context"
	"embed"
	"io/fs"
	"os"

	"echo-companion/app"
)

// version is set by the linker.
var version = "dev"

//go:embed all:frontend/dist
var frontend embed.FS

func main() {
	ui, err := fs.Sub(frontend, "frontend/dist")
	if err != nil {
		panic(err) // the path is part of the program
	}
	status := app.Main(context.Background(), app.Invocation{
		Args:    os.Args[1:],
		Version: version,
		UI:      ui,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Getenv:  os.Getenv,
	})
	os.Exit(status) //nolint:forbidigo // main alone exits
}
