package meta

import (
	"encoding/json"
	"testing"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

func TestAToolIsAsDangerousAsItsAnnotationsSay(t *testing.T) {
	for hints, want := range map[string]string{
		`{}`: callAny, `{"readOnlyHint":true}`: CallRead, `{"readOnlyHint":false}`: callAny, `{"destructiveHint":false}`: CallWrite,
		`{"readOnlyHint":true,"destructiveHint":true}`: CallRead, `{"readOnlyHint":"true"}`: callAny, `{"destructiveHint":true}`: callAny,
	} {
		tool, _ := catalog.NewTool("s", json.RawMessage(`{"name":"t","annotations":`+hints+`}`))
		if got := callerFor(tool); got != want {
			t.Errorf("%s: %s, want %s", hints, got, want)
		}
	}
}
