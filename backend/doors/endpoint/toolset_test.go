package endpoint_test

import (
	"net/http"
	"strings"
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

func TestAToolsetThatCannotBeUsedIsRefusedWithTheStatusOfTheReason(t *testing.T) {
	d := open(t)
	for set, want := range map[string]struct {
		status int
		text   string
	}{
		"absent":  {http.StatusNotFound, "there is no toolset absent"},
		"waiting": {http.StatusForbidden, "it waits for approval"},
		"broken":  {http.StatusInternalServerError, "the database is damaged"},
	} {
		resp, body := d.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, endpoint.ToolsetHeader+": "+set)
		if resp.StatusCode != want.status || !strings.Contains(body, want.text) {
			t.Errorf("toolset %s: %d %s", set, resp.StatusCode, body)
		}
	}
}
