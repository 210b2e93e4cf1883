package settings

import _ "embed"

//go:embed config.schema.json
var schema []byte

// Schema returns the JSON Schema of config.yaml. Text editors check and complete the file
// with it. It cannot say everything that Load checks: patterns, for example.
func Schema() []byte { return schema }
