//go:build unix

package updates_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/updates"
)

// offerBundle lists a version of a bundle that asks for a token.
func (h *hub) offerBundle(version, program string) listing.Listing {
	h.t.Helper()
	manifest, err := json.Marshal(map[string]any{
		"manifest_version": "0.2", "name": "weather", "version": version, "description": "Weather", "author": map[string]any{"name": "Ada"},
		"server": map[string]any{"type": "node", "entry_point": "main.js", "mcp_config": map[string]any{
			"command": "node", "args": []string{"${__dirname}/main.js"}, "env": map[string]any{"TOKEN": "${user_config.token}"},
		}},
		"user_config": map[string]any{"token": map[string]any{"type": "string", "title": "Token", "sensitive": true, "required": true}},
	})
	if err != nil {
		h.t.Fatal(err)
	}
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, file := range [][2]string{{"manifest.json", string(manifest)}, {"main.js", program}} {
		w, err := archive.Create(file[0])
		if err != nil {
			h.t.Fatal(err)
		}
		if _, err := w.Write([]byte(file[1])); err != nil {
			h.t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		h.t.Fatal(err)
	}
	files := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(out.Bytes()) }))
	h.t.Cleanup(files.Close)
	sum := sha256.Sum256(out.Bytes())
	l := listing.Listing{
		Source: listing.Official, Name: "io.example/weather", Version: version, Status: listing.Active,
		Packages: []listing.Package{
			{Kind: listing.KindMCPB, Identifier: files.URL + "/weather.mcpb", Version: version, SHA256: hex.EncodeToString(sum[:])},
		},
	}
	h.listings.set(l, nil)
	return l
}

// bundles returns the folders of unpacked bundles.
func (h *hub) bundles() []string {
	all, _ := filepath.Glob(h.machine.Bundles + "/*")
	return all
}

func TestABundleIsUpdatedAndRolledBackEvenIfItsFormerFilesWereDeleted(t *testing.T) {
	h := newHub(t)
	h.install(h.offerBundle("1.0.0", first()), map[string][]string{"token": {"t0ken-value"}})
	former := h.bundles()
	if len(former) != 1 {
		t.Fatalf("unpacked are %q", former)
	}
	h.offerBundle("1.1.0", second())
	if all, err := h.Check(t.Context()); err != nil || !all[0].Updatable || all[0].Latest != "1.1.0" {
		t.Fatalf("got %+v, %v", all, err)
	}
	before := h.state()
	h.succeed(h.Compare(t.Context(), "weather", updates.CompareOrder{}))
	c, err := h.Comparison("weather")
	if err != nil || len(c.Added) != 1 || len(c.Notes) > 0 || c.Env["TOKEN"] != "${secret:TOKEN}" {
		t.Errorf("got %+v, %v", c, err)
	}
	if after := h.state(); after != before {
		t.Errorf("left behind:\n%s\nbefore:\n%s", after, before)
	}
	h.succeed(h.Apply(t.Context(), "weather", updates.ApplyOrder{Hash: c.Hash}))
	if got := h.call("about"); !strings.HasPrefix(got, "1.1.0  t0ken-value") || len(h.bundles()) != 2 {
		t.Errorf("got %q, unpacked are %q", got, h.bundles())
	}
	if err := os.RemoveAll(former[0]); err != nil {
		t.Fatal(err)
	}
	h.succeed(h.Rollback(t.Context(), "weather"))
	if got := h.call("about"); !strings.HasPrefix(got, "1.0.0  t0ken-value") || len(h.bundles()) != 2 {
		t.Errorf("got %q, unpacked are %q", got, h.bundles())
	}

	h.succeed(h.Compare(t.Context(), "weather", updates.CompareOrder{}))
	if _, err := h.Comparison("weather"); err != nil {
		t.Error(err)
	}
	if err := h.lifecycle.Remove(t.Context(), "weather"); err != nil {
		t.Fatal(err)
	}
	h.install(h.offerBundle("1.0.0", first()), map[string][]string{"token": {"t0ken-value"}})
	if c, err := h.Comparison("weather"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("another server of the same name has the comparison %+v, %v", c, err)
	}
}
