package schemacompat_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/reference"

	"github.com/agent-discover/agent-discover/backend/protocol/schemacompat"
)

var vendors = []schemacompat.Vendor{schemacompat.Anthropic, schemacompat.OpenAI, schemacompat.Gemini}

// recorded returns the argument schemas of published servers by the name of the file and
// the tool.
func recorded(t testing.TB) map[string]json.RawMessage {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(reference.Path(t, "catalog"), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tool lists, %v", err)
	}
	out := make(map[string]json.RawMessage)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var server struct {
			Tools []struct {
				Name        string
				InputSchema json.RawMessage
			}
		}
		if err := json.Unmarshal(data, &server); err != nil {
			t.Fatal(err)
		}
		for _, tool := range server.Tools {
			out[filepath.Base(file)+" "+tool.Name] = tool.InputSchema
		}
	}
	return out
}

func TestEveryVendorAcceptsRecordedTools(t *testing.T) {
	for name, schema := range recorded(t) {
		if len(schema) == 0 {
			continue
		}
		for _, d := range vendors {
			adapted, changes := schemacompat.Adapt(d, schema)
			if why := refused(d, adapted); why != "" {
				t.Errorf("%s %s: %s\n%s", d, name, why, adapted)
			}
			if (string(adapted) == string(schema)) != (len(changes) == 0) {
				t.Errorf("%s %s: changes %q", d, name, changes)
			}
			if again, notes := schemacompat.Adapt(d, adapted); string(again) != string(adapted) || notes != nil {
				t.Errorf("%s %s: adapted twice:\n%s\nadapted once:\n%s", d, name, again, adapted)
			}
			if len(changes) > 0 && refused(d, schema) == "" && d != schemacompat.Gemini {
				t.Errorf("%s %s: the accepted schema was changed (%q)\n%s\n%s", d, name, changes, schema, adapted)
			}
		}
	}
}
