package dashboard_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

// recordedBody decodes the body of a recorded answer into a value.
func recordedBody(t *testing.T, name string, into any) {
	t.Helper()
	var response struct{ Body json.RawMessage }
	if err := errors.Join(json.Unmarshal(hubtest.Recorded(t, name+".json"), &response), json.Unmarshal(response.Body, into)); err != nil {
		t.Fatal(err)
	}
}
