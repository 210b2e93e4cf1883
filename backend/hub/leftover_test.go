package hub_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
)

func TestNothingIsLeftOfACredentialThatWasTakenAway(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_KEYCHAIN", "off")
	t.Setenv("AGENT_DISCOVER_PASSPHRASE", "a passphrase")
	folder := paths.Folder(t.TempDir())
	h, _ := runHub(t, hub.Options{Folder: folder})
	const n = 12
	value := func(i int) string { return fmt.Sprintf("correct-horse-battery-%02d", i) }
	for i := range n {
		do(t, h, "POST", "/api/servers", map[string]any{"name": fmt.Sprintf("s%d", i), "env": map[string]string{"API_TOKEN": value(i)}}, nil)
	}
	for i := range n {
		path := fmt.Sprintf("/api/servers/%d", i+1)
		switch i % 3 {
		case 0:
			do(t, h, "PUT", path, map[string]any{"env": map[string]string{}}, nil)
		case 1:
			do(t, h, "DELETE", path, nil, nil)
		}
	}
	left := func(when string, taken func(i int) bool) {
		for _, file := range []string{folder.Database(), folder.Database() + "-wal"} {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i := range n {
				if taken(i) && bytes.Contains(data, []byte(value(i))) {
					t.Errorf("%s: %s holds credential %d", when, file, i)
				}
			}
		}
	}
	left("changed and deleted", func(i int) bool { return i%3 != 2 })
	do(t, h, "POST", "/api/secrets/migrate", map[string]any{"dry_run": false}, nil)
	left("moved", func(int) bool { return true })
}
