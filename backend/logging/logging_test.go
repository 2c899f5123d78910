package logging_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/logging"
)

func TestLevelsPerPackage(t *testing.T) {
	levels, err := logging.ParseLevels("warn, conversation=debug")
	require.NoError(t, err)
	var out bytes.Buffer
	logger := logging.New(&out, levels)
	logging.For(logger, "conversation").Debug("step taken")
	logging.For(logger, "store").Info("row written")
	logging.For(logger, "store").Warn("disk is full")
	require.Contains(t, out.String(), "step taken")
	require.NotContains(t, out.String(), "row written")
	require.Contains(t, out.String(), "disk is full")
}

func TestBadLevelIsNamed(t *testing.T) {
	_, err := logging.ParseLevels("info,store=loud")
	require.ErrorContains(t, err, "store=loud")
}
