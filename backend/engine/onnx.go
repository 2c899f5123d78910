package main

import (
	"fmt"

	ort "github.com/yalue/onnxruntime_go"
)

// openRuntime opens the ONNX Runtime that sherpa-onnx has brought into the process: the loader gives the one that is there to
// whoever asks for its name. It may be called again.
func openRuntime() error {
	if ort.IsInitialized() {
		return nil
	}
	ort.SetSharedLibraryPath("libonnxruntime.so")
	if err := ort.InitializeEnvironment(ort.WithLogLevelError()); err != nil {
		return fmt.Errorf("open ONNX Runtime: %w", err)
	}
	return nil
}

// sessionOptions are those of a small model on the processor.
func sessionOptions(threads int) (*ort.SessionOptions, error) {
	options, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	if err := options.SetIntraOpNumThreads(threads); err != nil {
		return nil, err
	}
	// Threads that spin for work would take the processor from the recogniser and the voice.
	if err := options.AddSessionConfigEntry("session.intra_op.allow_spinning", "0"); err != nil {
		return nil, err
	}
	return options, options.SetInterOpNumThreads(1)
}
