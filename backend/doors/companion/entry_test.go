package companion

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/answercache"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

func TestTheSurfaceOfAnEntryIsKnown(t *testing.T) {
	for _, row := range []struct {
		surface string
		valid   bool
	}{
		{"", true},
		{"registry", true},
		{"server:github", true},
		{"server:a:b", true},
		{"server:", false},
		{"github", false},
		{"server:" + strings.Repeat("x", maxEntryText), false},
		{"server:\xff", false},
	} {
		e := Entry{Surface: row.surface}
		if err := e.Check(); (err == nil) != row.valid {
			t.Errorf("%q: %v", row.surface, err)
		}
	}
}

func TestLastAnswersAreKeptForEachEntry(t *testing.T) {
	m, err := jsonrpc.Parse([]byte(request("1", greeting1)))
	if err != nil {
		t.Fatal(err)
	}
	keys := make(map[answercache.Key]bool)
	for _, entry := range []Entry{{}, {Surface: "server:a"}, {Surface: "server:b"}, {Client: "cursor"}} {
		key, ok := (&Companion{Entry: entry}).keyOf(&m)
		if !ok {
			t.Fatalf("%+v: no answer is kept", entry)
		}
		keys[key] = true
	}
	if len(keys) != 4 {
		t.Errorf("4 entries share %d keys", len(keys))
	}
}
