package app

import (
	"context"
	"fmt"
	"os"

	"echo-companion/backend/speech/models"
	"echo-companion/backend/workspace"
)

// models runs `echo-companion models fetch`.
func (in Invocation) models(ctx context.Context, args []string) error {
	if len(args) != 1 || args[0] != "fetch" {
		_, _ = fmt.Fprintln(in.Stderr, "say `echo-companion models fetch`: it fetches the speech models that are missing")
		return errUsage
	}
	dir, err := modelsDir()
	if err != nil {
		return err
	}
	fetched := 0
	err = models.Fetch(ctx, models.Config{Dir: dir, Progress: func(p models.Progress) {
		switch {
		case p.State == models.StateFetching:
			_, _ = fmt.Fprintf(in.Stdout, "speech models: fetching %s (%d of %d)\n", p.Part, p.Number, p.Of)
		case p.Fresh:
			fetched++
			_, _ = fmt.Fprintf(in.Stdout, "speech models: %s is ready (%d MB)\n", p.Part, p.Bytes>>20)
		}
	}})
	if err != nil {
		return fmt.Errorf("fetch the speech models: %w", err)
	}
	if fetched == 0 {
		_, err = fmt.Fprintln(in.Stdout, "speech models: all there, in", dir)
	}
	return err
}

// modelsDir is where the speech models of this user lie.
func modelsDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache folder: %w: set HOME", err)
	}
	return workspace.ModelsDir(cache), nil
}
