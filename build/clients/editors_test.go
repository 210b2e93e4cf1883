//go:build clients

package clients

import (
	"maps"
	"regexp"
	"strings"
	"testing"
)

// forEachClient runs a test for every client in parallel.
func forEachClient(t *testing.T, test func(t *testing.T, c *client)) {
	for _, c := range all {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			test(t, c)
		})
	}
}

// expectServers fails unless the client lists exactly the servers in want.
func (c *client) expectServers(u *user, want serverStates) {
	u.t.Helper()
	if got := c.list(u, c); !maps.Equal(got, want) {
		u.t.Errorf("servers listed by the client: got %v, want %v; its file:\n%s", got, want, u.read(c.path(u)))
	}
}

func (u *user) register(c *client) {
	u.t.Helper()
	u.t.Log(u.must("editors", "register", c.id, "--yes"))
}

func TestClientConnectsThroughTheWrittenEntry(t *testing.T) {
	forEachClient(t, func(t *testing.T, c *client) {
		u := newUser(t, "")
		c.add(u, c, "control")
		u.register(c)
		if text := u.read(c.path(u)); !strings.Contains(text, u.program) || strings.Contains(text, "AGENT_DISCOVER") {
			t.Errorf("the entry lacks the program or names a data folder:\n%s", text)
		}
		if text := strings.Join(strings.Fields(u.read(c.path(u))), ""); !strings.Contains(text,
			`"mcp","--client","`+c.id+`","--surface","meta"`) {
			t.Errorf("the entry does not name the editor:\n%s", text)
		}
		c.expectServers(u, serverStates{"discover": true, "control": false})
		u.awaitClient(c.clientName)
	})
}

func TestClientListsTheToolsAndIsRecognised(t *testing.T) {
	forEachClient(t, func(t *testing.T, c *client) {
		u := newUser(t, "")
		u.register(c)
		r := u.installRelay()
		u.listTools(c)
		if tools := r.definitions(); tools["find_tool"].Name == "" {
			t.Errorf("tools listed to the client: %v; its requests:\n%s", tools, u.read(r.requests))
		}
		if requests := u.read(r.requests); c.modern &&
			(!strings.Contains(requests, `"server/discover"`) || strings.Contains(requests, `"initialize"`)) {
			t.Errorf("the client fell back to an older version of MCP; its requests:\n%s", requests)
		}
		u.eventually("the hub no longer reports that the editor needs a reload", func() bool { return !u.needsReload(c) })
	})
}

// needsReload reports whether, according to the hub, the client must still reload its configuration file.
func (u *user) needsReload(c *client) bool {
	u.t.Helper()
	var list struct {
		Editors []struct {
			ID          string
			NeedsReload bool `json:"needs_reload"`
		}
	}
	u.get("/api/editors?all=true", &list)
	for _, e := range list.Editors {
		if e.ID == c.id {
			return e.NeedsReload
		}
	}
	u.t.Fatalf("the hub does not list %s", c.id)
	return false
}

// ownID matches the id that Claude Code gives its user at some time after its first
// start.
var ownID = regexp.MustCompile(`,\s*"userID": "[0-9a-f]+"`)

func withoutID(file string) string { return ownID.ReplaceAllString(file, "") }

func TestUndoRestoresTheFileOfTheClient(t *testing.T) {
	forEachClient(t, func(t *testing.T, c *client) {
		u := newUser(t, "")
		c.add(u, c, "control")
		before := withoutID(u.read(c.path(u)))
		u.register(c)
		if now := u.read(c.path(u)); !strings.Contains(now, u.program) {
			t.Fatalf("register has not written the entry:\n%s", now)
		}
		if !u.needsReload(c) {
			t.Error("after register, the hub does not report that the client needs a reload")
		}
		u.must("editors", "undo", c.id, "--yes")
		if after := withoutID(u.read(c.path(u))); after != before {
			t.Errorf("after undo, the file is\n%s\nwant\n%s", after, before)
		}
		c.expectServers(u, serverStates{"control": false})
	})
}

func TestUndoKeepsLaterChangesOfTheClient(t *testing.T) {
	forEachClient(t, func(t *testing.T, c *client) {
		u := newUser(t, "")
		c.add(u, c, "control")
		u.register(c)
		c.add(u, c, "later")
		c.expectServers(u, serverStates{"discover": true, "control": false, "later": false})
		u.must("editors", "undo", c.id, "--yes")
		if text := u.read(c.path(u)); strings.Contains(text, "discover") {
			t.Errorf("undo left a part of the entry:\n%s", text)
		}
		c.expectServers(u, serverStates{"control": false, "later": false})
	})
}

func TestEntryLeadsToTheHubOfItsDataFolder(t *testing.T) {
	forEachClient(t, func(t *testing.T, c *client) {
		u := newUser(t, "my other data")
		c.add(u, c, "control")
		u.register(c)
		text := u.read(c.path(u))
		for _, part := range []string{"AGENT_DISCOVER_HOME", string(u.folder)} {
			if !strings.Contains(text, part) {
				t.Errorf("the entry lacks %s:\n%s", part, text)
			}
		}
		c.expectServers(u, serverStates{"discover": true, "control": false})
		u.awaitClient(c.clientName)
	})
}
