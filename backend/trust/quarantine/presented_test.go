package quarantine_test

import (
	"encoding/json"
	"testing"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

func TestClientsAreShownHowAServerDescribesItselfUnlessItIsSuspicious(t *testing.T) {
	b := newBench(t)
	b.add("one", "")
	for info, want := range map[string]string{
		`{"name":"x","title":"A title","icons":[{"src":"data:image/png;base64,evil"}],"websiteUrl":"https://x.example"}`: "",
		`{"name":"x","version":"1.2","description":"an evil order"}`:                                                     `{"name":"one","version":"1.2"}`,
		`{"name":"evil","version":"1 and more"}`:                                                                         `{"name":"one","version":""}`,
		`{"name":"x","version":"1","websiteUrl":"javascript:alert(1)"}`:                                                  `{"name":"one","version":"1"}`,
		`{"name":"x","version":"1","icons":[{"src":"file:///etc/passwd"}]}`:                                              `{"name":"one","version":"1"}`,
	} {
		if want == "" {
			want = info
		}
		result := b.keeper.Shown(t.Context(), "one", "initialize", json.RawMessage(`{"serverInfo":`+info+`,"capabilities":{}}`))
		if got := jsonrpc.Get(result, "serverInfo"); string(got) != want {
			t.Errorf("%s: clients are shown %s", info, got)
		}
	}
}
