package companion

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

func TestWithoutAHubASupportedProtocolVersionIsAnswered(t *testing.T) {
	for asked, want := range map[string]string{
		"2025-06-18": "2025-06-18", "2024-11-05": "2024-11-05", "1999-01-01": "2025-11-25", "": "2025-11-25", "<x>": "2025-11-25",
	} {
		c := &Companion{offline: errors.New("no hub")}
		params, _ := json.Marshal(map[string]string{"protocolVersion": asked})
		reply, err := c.offlineReply(&jsonrpc.Message{ID: json.RawMessage("1"), Method: "initialize", Params: params})
		if err != nil || !strings.Contains(string(reply), `"protocolVersion":"`+want+`"`) {
			t.Errorf("%q: %s, %v", asked, reply, err)
		}
	}
}
