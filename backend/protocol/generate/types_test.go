package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTypesAreFresh(t *testing.T) {
	want, err := Types("..")
	require.NoError(t, err)
	got, err := os.ReadFile("../../../frontend/src/protocol/types.gen.ts")
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run: go generate ./backend/protocol")
}
