//go:build clients

package clients

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// each runs a test for every client.
func each(t *testing.T, test func(t *testing.T, c *client)) {
	for _, c := range all {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			test(t, c)
		})
	}
}

func (c *client) sees(p *person, want listing) {
	p.t.Helper()
	if got := c.list(p, c); !maps.Equal(got, want) {
		p.t.Errorf("it says of its servers %v, not %v; its file:\n%s", got, want, p.read(c.path(p)))
	}
}

func (p *person) register(c *client) {
	p.t.Helper()
	p.t.Log(p.must("editors", "register", c.id, "--yes"))
}

func TestClientConnectsThroughTheEntryThatWeWrite(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		p := newPerson(t, "")
		c.add(p, c, "control")
		p.register(c)
		if text := p.read(c.path(p)); !strings.Contains(text, p.program) || strings.Contains(text, "AGENT_DISCOVER") {
			t.Errorf("the entry is not as it should be:\n%s", text)
		}
		c.sees(p, listing{"discover": true, "control": false})
		p.awaitClient(c.calls)
	})
}

func TestClientIsGivenRegistryAndRecognised(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		p := newPerson(t, "")
		p.register(c)
		r := p.intercept()
		p.converse(c)
		if tools := r.tools(); !slices.Contains(tools, "registry") {
			t.Errorf("the client was given the tools %q; it asked:\n%s", tools, p.read(r.asked))
		}
		p.eventually("the hub knows that the editor has read its file", func() bool { return !p.needsReload(c) })
	})
}

// needsReload says whether the hub waits for a client to come by after its file was changed.
func (p *person) needsReload(c *client) bool {
	p.t.Helper()
	var list struct {
		Editors []struct {
			ID          string
			NeedsReload bool `json:"needs_reload"`
		}
	}
	p.get("/api/editors?all=true", &list)
	for _, e := range list.Editors {
		if e.ID == c.id {
			return e.NeedsReload
		}
	}
	p.t.Fatalf("the hub does not list %s", c.id)
	return false
}

func TestUndoGivesTheClientItsBytesBack(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		p := newPerson(t, "")
		c.add(p, c, "control")
		before := p.read(c.path(p))
		p.register(c)
		if now := p.read(c.path(p)); !strings.Contains(now, p.program) {
			t.Fatalf("nothing was written:\n%s", now)
		}
		if !p.needsReload(c) {
			t.Error("the hub does not say that the client has to read its file again")
		}
		p.must("editors", "undo", c.id, "--yes")
		if after := p.read(c.path(p)); after != before {
			t.Errorf("the file was\n%s\nand is\n%s", before, after)
		}
		c.sees(p, listing{"control": false})
	})
}

func TestWhatTheClientWritesMeanwhileStays(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		p := newPerson(t, "")
		c.add(p, c, "control")
		p.register(c)
		c.add(p, c, "later")
		c.sees(p, listing{"discover": true, "control": false, "later": false})
		p.must("editors", "undo", c.id, "--yes")
		if text := p.read(c.path(p)); strings.Contains(text, "discover") {
			t.Errorf("something of ours is left:\n%s", text)
		}
		c.sees(p, listing{"control": false, "later": false})
	})
}

func TestEntryOfAnotherDataFolderLeadsToItsHub(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		p := newPerson(t, "my other data")
		c.add(p, c, "control")
		p.register(c)
		text := p.read(c.path(p))
		for _, part := range []string{"AGENT_DISCOVER_HOME", string(p.folder)} {
			if !strings.Contains(text, part) {
				t.Errorf("the entry lacks %s:\n%s", part, text)
			}
		}
		c.sees(p, listing{"discover": true, "control": false})
		p.awaitClient(c.calls)
	})
}
