#!/bin/sh
# Builds echo-engine into a folder (build/bin unless told otherwise), with the two libraries that it loads from beside itself.
set -eu
cd "$(dirname "$0")/.."
out=${1:-build/bin}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd backend/engine
sherpa=$(go list -m -f '{{.Dir}}' github.com/k2-fsa/sherpa-onnx-go-linux)
if [ -z "$sherpa" ]; then
	go mod download github.com/k2-fsa/sherpa-onnx-go-linux
	sherpa=$(go list -m -f '{{.Dir}}' github.com/k2-fsa/sherpa-onnx-go-linux)
fi
case "$(go env GOARCH)" in
amd64) libraries=$sherpa/lib/x86_64-unknown-linux-gnu ;;
arm64) libraries=$sherpa/lib/aarch64-unknown-linux-gnu ;;
arm) libraries=$sherpa/lib/arm-unknown-linux-gnueabihf ;;
*)
	echo "echo-engine cannot be built for $(go env GOARCH): sherpa-onnx brings libraries for amd64, arm64 and arm alone." >&2
	exit 1
	;;
esac
CGO_ENABLED=1 go build -ldflags '-s -w -r $ORIGIN' -o "$out/echo-engine" .
for library in libsherpa-onnx-c-api.so libonnxruntime.so; do
	# A running engine keeps the copy that it has loaded; one that is the same stays.
	cmp -s "$libraries/$library" "$out/$library" || { cp "$libraries/$library" "$out/$library.new" && chmod 755 "$out/$library.new" && mv -f "$out/$library.new" "$out/$library"; }
done
