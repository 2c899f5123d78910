//go:build !unix

package main

import "os"

// claimOutput is standard output as it is.
func claimOutput() (*os.File, error) { return os.Stdout, nil }
