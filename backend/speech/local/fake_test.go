package local_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"echo-companion/backend/speech/frame"
)

// TestMain is the fake echo-engine where it is started as one: the models' folder holds a file that says how it behaves.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[2] == "--models" {
		if err := play(os.Args[1], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// play serves requests as the script says: "missing", "crash on load", "hang on load", or else by each request.
func play(mode, models string) error {
	script, err := os.ReadFile(filepath.Join(models, "script"))
	if err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(models, "starts"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	fmt.Fprintln(log, mode, strings.Join(os.Args[4:], " "))
	switch string(script) {
	case "missing":
		return frame.Write(os.Stdout, frame.Frame{Kind: frame.KindFailed, Payload: frame.JSON(frame.Failure{Message: "no model", Missing: "/models/x.onnx"})})
	case "crash on load":
		return errors.New("no luck")
	case "hang on load":
		select {}
	}
	if err := frame.Write(os.Stdout, frame.Frame{Kind: frame.KindReady}); err != nil {
		return err
	}
	for {
		f, err := frame.Read(os.Stdin)
		if err != nil {
			_, err := fmt.Fprintln(log, "ended")
			return err
		}
		if err := serve(f, log); err != nil {
			return err
		}
	}
}

func serve(f frame.Frame, log *os.File) error {
	reply := func(kind frame.Kind, payload []byte) error {
		return frame.Write(os.Stdout, frame.Frame{Kind: kind, Request: f.Request, Payload: payload})
	}
	switch f.Kind { //nolint:exhaustive // the kinds that an engine is sent
	case frame.KindCancel:
		fmt.Fprintln(log, "cancelled")
		return nil
	case frame.KindSynthesize:
		return speak(f, reply)
	case frame.KindRecognize:
		if err := reply(frame.KindText, fmt.Appendf(nil, "%d samples", len(f.Payload)/2)); err != nil {
			return err
		}
	case frame.KindListen:
		if len(f.Payload) > 0 {
			if err := reply(frame.KindSpeech, frame.Floats([]float32{0.75})); err != nil {
				return err
			}
		}
	case frame.KindWake:
		return wake(f, reply)
	case frame.KindEmbed:
		var texts frame.Texts
		if err := json.Unmarshal(f.Payload, &texts); err != nil {
			return err
		}
		for _, text := range texts.Texts {
			if err := reply(frame.KindVectors, frame.Floats([]float32{float32(len(text)), 1})); err != nil {
				return err
			}
		}
	}
	return reply(frame.KindDone, nil)
}

// wake is as sure as the first sample says, in hundredths; a negative one has its model missing.
func wake(f frame.Frame, reply func(frame.Kind, []byte) error) error {
	hop, err := frame.Samples(f.Payload)
	if err != nil {
		return err
	}
	if len(hop) > 0 && hop[0] < 0 {
		return reply(frame.KindFailed, frame.JSON(frame.Failure{Message: "no model", Missing: "/models/wake/x.onnx"}))
	}
	if len(hop) > 0 {
		if err := reply(frame.KindWoken, frame.Floats([]float32{float32(hop[0]) / 100})); err != nil {
			return err
		}
	}
	return reply(frame.KindDone, nil)
}

// speak does what the text says.
func speak(f frame.Frame, reply func(frame.Kind, []byte) error) error {
	var utterance frame.Utterance
	if err := json.Unmarshal(f.Payload, &utterance); err != nil {
		return err
	}
	switch utterance.Text {
	case "crash":
		if err := reply(frame.KindAudio, frame.PCM([]int16{1})); err != nil {
			return err
		}
		os.Exit(3)
	case "hang":
		select {}
	case "refuse":
		return reply(frame.KindFailed, frame.JSON(frame.Failure{Message: "I will not"}))
	case "nonsense":
		return reply(frame.KindText, []byte("what?"))
	case "garbage":
		_, err := os.Stdout.WriteString("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
		return err
	case "slowly":
		for range 5 {
			if err := reply(frame.KindAudio, frame.PCM([]int16{7})); err != nil {
				return err
			}
			time.Sleep(500 * time.Millisecond) // longer in all than its patience
		}
	case "endless":
		for range 1000 { // far more than any buffer holds
			if err := reply(frame.KindAudio, make([]byte, 9600)); err != nil {
				return err
			}
		}
	default:
		for _, r := range utterance.Text + "/" + utterance.Voice {
			if err := reply(frame.KindAudio, frame.PCM([]int16{int16(r)})); err != nil {
				return err
			}
		}
	}
	return reply(frame.KindDone, nil)
}
