// Command generate writes the frontend's types from package protocol: an interface for each struct, a union of literals for
// each typed string, and a discriminated union for each sealed interface. It reads the source alone, so that comments come along.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	output := flag.String("o", "", "the TypeScript file to write")
	source := flag.String("dir", ".", "the folder of package protocol")
	flag.Parse()
	if err := run(*source, *output); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1) //nolint:forbidigo // this is a main
	}
}

func run(source, output string) error {
	text, err := Types(source)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(output), 0o755); err != nil { //nolint:gosec // a folder of the source tree
		return fmt.Errorf("write the types: %w", err)
	}
	if err := os.WriteFile(output, text, 0o644); err != nil { //nolint:gosec // a file of the source tree
		return fmt.Errorf("write the types: %w", err)
	}
	return nil
}
