module github.com/kplan-go/kplan/examples/fleet

go 1.24.0

require (
	github.com/kplan-go/kplan v0.1.0
	github.com/stretchr/testify v1.12.1
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect
