package downloads

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

func TestTheFilesOfInterruptedDownloadsAreRemoved(t *testing.T) {
	for name, begin := range map[string]func(*Downloader){
		"at the start": func(p *Downloader) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_ = p.Run(ctx) // returns nil
		},
		"before a download": func(p *Downloader) {
			if _, err := p.temporary(); err != nil {
				t.Error(err)
			}
			if _, err := p.temporary(); err != nil { // must not remove the first folder
				t.Error(err)
			}
		},
	} {
		folder := filepath.Join(t.TempDir(), "downloads")
		left := filepath.Join(folder, "npm-1", "node_modules")
		if err := os.MkdirAll(left, 0o700); err != nil {
			t.Fatal(err)
		}
		begin(New(Options{Folder: folder, Log: slog.New(slog.DiscardHandler)}))
		if _, err := os.Stat(left); err == nil {
			t.Errorf("%s: they are left", name)
		}
		entries, _ := os.ReadDir(folder) // an error means that the folder is missing
		if want := map[string]int{"before a download": 2}[name]; len(entries) != want {
			t.Errorf("%s: %d folders", name, len(entries))
		}
	}
}

func TestADownloadThatMayRunCodeIsLeftToTheFirstStart(t *testing.T) {
	s := registry.Server{Transport: "stdio", Command: "uvx", Args: []string{"--with", "git+https://x.example/y", "tiny"}}
	skipped, err := New(Options{}).Download(t.Context(), s, func(string) {})
	if err != nil || !strings.Contains(skipped, "the option --with names something") {
		t.Errorf("got %q, %v", skipped, err)
	}
}
