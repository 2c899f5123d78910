package models

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// piperVoice is what is needed of Piper's description of a voice.
type piperVoice struct {
	Audio struct {
		Rate int `json:"sample_rate"`
	} `json:"audio"`
	Espeak struct {
		Voice string `json:"voice"`
	} `json:"espeak"`
	Speakers int              `json:"num_speakers"`
	Phonemes map[string][]int `json:"phoneme_id_map"`
}

// sherpaVoice gives a Piper model the metadata that sherpa-onnx reads, and its table of phonemes. Protocol buffers may be
// extended by appending: the metadata is field 14 of ONNX's ModelProto.
func sherpaVoice(model, description []byte) (onnx, tokens []byte, err error) {
	var voice piperVoice
	if err := json.Unmarshal(description, &voice); err != nil {
		return nil, nil, fmt.Errorf("read the voice's description: %w", err)
	}
	if voice.Audio.Rate == 0 || voice.Espeak.Voice == "" || len(voice.Phonemes) == 0 {
		return nil, nil, errors.New("read the voice's description: rate, espeak voice or phonemes are missing")
	}
	extended := message(slices.Clone(model))
	for _, entry := range [][2]string{
		{"model_type", "vits"},
		{"comment", "piper"},
		{"language", "English"},
		{"voice", voice.Espeak.Voice},
		{"has_espeak", "1"},
		{"n_speakers", strconv.Itoa(max(1, voice.Speakers))},
		{"sample_rate", strconv.Itoa(voice.Audio.Rate)},
	} {
		var property message
		property.text(1, entry[0])
		property.text(2, entry[1])
		extended.bytes(14, property)
	}
	var table bytes.Buffer
	for _, phoneme := range slices.SortedFunc(maps.Keys(voice.Phonemes), func(a, b string) int {
		return cmp.Or(slices.Compare(voice.Phonemes[a], voice.Phonemes[b]), cmp.Compare(a, b))
	}) {
		if ids := voice.Phonemes[phoneme]; len(ids) > 0 {
			table.WriteString(phoneme + " " + strconv.Itoa(ids[0]) + "\n")
		}
	}
	return extended, table.Bytes(), nil
}
