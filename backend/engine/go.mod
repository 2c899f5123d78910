module echo-companion/backend/engine

go 1.26.0

require (
	echo-companion v0.0.0
	github.com/k2-fsa/sherpa-onnx-go-linux v1.13.8
	github.com/stretchr/testify v1.12.1
	github.com/yalue/onnxruntime_go v1.27.0
	golang.org/x/sys v0.50.0
	golang.org/x/text v0.39.0
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect

replace echo-companion => ../..
