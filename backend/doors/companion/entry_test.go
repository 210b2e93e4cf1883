package companion

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/answercache"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

func TestTheSurfaceOfAnEntryIsTheHubOrOneServer(t *testing.T) {
	for _, row := range []struct {
		surface, server string
		valid           bool
	}{
		{"", "", true},
		{"registry", "", true},
		{"server:github", "github", true},
		{"server:a:b", "a:b", true},
		{"server:", "", false},
		{"github", "github", false},
		{"server:" + strings.Repeat("x", maxEntryText), "", false},
		{"server:\xff", "", false},
	} {
		e := Entry{Surface: row.surface}
		if err := e.Check(); (err == nil) != row.valid {
			t.Errorf("%q: %v", row.surface, err)
		}
		if row.valid && e.Server() != row.server {
			t.Errorf("%q shows the server %q", row.surface, e.Server())
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
