package endpoint_test

import (
	"net/http"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/endpoint"
)

func TestASessionServesOnlyTheToolsetThatARequestNames(t *testing.T) {
	d := open(t)
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	header := func(set string) string { return endpoint.ToolsetHeader + ": " + set }
	limited, free := d.initialize("2025-11-25", header("daily")), d.initialize("2025-11-25")
	for _, row := range []struct {
		session, toolset string
		status           int
	}{
		{limited, "daily", http.StatusOK},
		{limited, "", http.StatusOK},
		{free, "", http.StatusOK},
		{limited, "other", http.StatusForbidden},
		{free, "daily", http.StatusForbidden},
	} {
		if resp, body := d.post(list, row.session, header(row.toolset)); resp.StatusCode != row.status {
			t.Errorf("toolset %q in session %s: %d %s", row.toolset, row.session, resp.StatusCode, body)
		}
	}
}
