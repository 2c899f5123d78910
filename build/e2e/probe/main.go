// Command probe is what the desktop's end-to-end checks look at the running app with: a tray host, clicks on the tray's menu, and
// expressions evaluated in the live window.
//
//	probe watch                     be the tray's host
//	probe menu                      print the entries of the tray's menu
//	probe click LABEL               click one
//	probe eval HOST:PORT SCRIPT     evaluate SCRIPT in the window, and print its value as JSON
//	probe recognize ENGINE MODELS FILE   write down what is said in raw 16 kHz samples
//	probe level FILE                the loudness of what is said in them
//	probe model                     be a scripted model, and print its address
//	probe take ADDRESS TOKEN        take the conversation over and hold it, as a browser does
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"
)

// patience bounds every command that is not to go on until it is ended.
const patience = time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "probe:", err)
		os.Exit(1) //nolint:forbidigo // this is a main
	}
}

func run(ctx context.Context, args []string) error {
	switch { // until they are ended
	case len(args) == 1 && args[0] == "watch":
		return watch(ctx, os.Stdout)
	case len(args) == 1 && args[0] == "model":
		return model(ctx, os.Stdout)
	case len(args) == 3 && args[0] == "take":
		return take(ctx, args[1], args[2], os.Stdout)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	switch {
	case len(args) == 1 && args[0] == "menu":
		return menu(ctx, os.Stdout)
	case len(args) == 2 && args[0] == "click":
		return click(ctx, args[1])
	case len(args) == 3 && args[0] == "eval":
		return evaluate(ctx, args[1], args[2], os.Stdout)
	case len(args) == 4 && args[0] == "recognize":
		return recognize(ctx, args[1], args[2], args[3], os.Stdout)
	case len(args) == 2 && args[0] == "level":
		return level(args[1], os.Stdout)
	}
	return errors.New("usage: probe watch | model | take ADDRESS TOKEN | menu | click LABEL | eval HOST:PORT SCRIPT | recognize ENGINE MODELS FILE | level FILE")
}
