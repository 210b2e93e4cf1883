package registrytool

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

func TestRegistryIsSmallAndListsItsActions(t *testing.T) {
	list, err := answer.Encode(map[string]any{"tools": []json.RawMessage{Definition}})
	if err != nil || !jsonrpc.Valid(list) {
		t.Fatal(err)
	}
	if n := tokens.Count(string(list)); n > 500 {
		t.Errorf("the tool list costs %d tokens", n)
	}
	if n := tokens.Count(string(Definition)); n-Tokens > n/20 || Tokens-n > n/20 {
		t.Errorf("registry costs %d tokens, but Tokens is %d", n, Tokens)
	}
	var def struct {
		InputSchema struct {
			Properties map[string]struct{ Enum []string }
		}
	}
	if err := json.Unmarshal(Definition, &def); err != nil {
		t.Fatal(err)
	}
	listedActions := def.InputSchema.Properties["action"].Enum
	if len(listedActions) != len(actions)+1 { // proxy_call is not in actions
		t.Errorf("the schema lists the actions %v", listedActions)
	}
	for _, action := range actions {
		if !strings.Contains(fmt.Sprint(listedActions), action.name) {
			t.Errorf("the schema does not list the action %s", action.name)
		}
	}
}
