package installer_test

import (
	"crypto/rand"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// small returns a folder on a separate file system with little space.
func small(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=128k"); err != nil {
		t.Skip("this user may not mount a small disk:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return folder
}

func TestAFullDiskIsNamedAndNothingIsLeft(t *testing.T) {
	random := make([]byte, 1<<20)
	_, _ = rand.Read(random)
	content := packed(t, server(t), "data", string(random))
	for name, edit := range map[string]func(*bench, string){
		"while downloading": func(b *bench, disk string) { b.t.Setenv("TMPDIR", disk); b.temp = disk },
		"while unpacking":   nil,
	} {
		t.Run(name, func(t *testing.T) {
			disk := small(t)
			b := newBench(t, func(o *installer.Options) {
				if edit == nil {
					o.Machine.Bundles = disk
				}
			})
			if edit != nil {
				edit(b, disk)
			}
			result, err := b.install(bundled(t, content, nil))
			if err == nil || result.Step != installer.Download || !strings.Contains(result.Error, "disk") {
				t.Errorf("got %+v, %v", result.Progress, err)
			}
			b.checkNothingLeft()
		})
	}
}

func TestAFullDiskIsNamedByNpmAndNothingIsLeft(t *testing.T) {
	skipWithoutNpm(t)
	random := make([]byte, 1<<20)
	_, _ = rand.Read(random)
	file := npmPackage(t, string(random))
	disk := small(t)
	b := newBench(t, nil)
	b.extra = []string{"npm_config_registry", npmRegistry(t, file, file).URL, "npm_config_cache", disk, "npm_config_fetch_retries", "0"}
	result, err := b.install(order(listing.Package{Kind: listing.KindNPM, Identifier: "@ada/weather", Version: "1.0.0"}, nil))
	if err == nil || result.Step != installer.Download || !strings.Contains(result.Error, "no space left on device") {
		t.Errorf("got %+v, %v", result.Progress, err)
	}
	b.checkNothingLeft()
}
