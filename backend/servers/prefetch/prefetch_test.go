package prefetch

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

func TestDownloadsAreReadFromTheCommandLine(t *testing.T) {
	for command, want := range map[string]string{
		"":                                    "no package name",
		"node":                                "no package name",
		"node server.js":                      "not an npx/uvx server",
		"docker run -i image":                 "not an npx/uvx server",
		"npx":                                 "no package name",
		"npx -y":                              "no package name",
		"npx -y pkg":                          "npx pkg",
		"npx --yes @scope/pkg@1.2.3 --flag x": "npx @scope/pkg@1.2.3",
		"/opt/node/bin/npx pkg":               "npx pkg",
		"npx.cmd -y pkg@latest":               "npx pkg@latest",
		"NPX.CMD pkg":                         "npx pkg",
		"npx -p one --package=two tool arg":   "npx one two",
		"npx --package one -- tool":           "npx one",
		"npx -- pkg":                          "npx pkg",
		"npx --registry r --loglevel silly -y pkg": "npx --registry r | pkg",
		"npx --registry=r pkg":                     "npx --registry r | pkg",
		"npx -p":                                   "no package name",
		"npx --":                                   "no package name",
		"npx ./local":                              "no package name",
		"npx /abs/local":                           "no package name",
		"npx https://example.com/x.tgz":            "no package name",
		"npx github:user/repo":                     "no package name",
		"npx -p --evil tool":                       "no package name",
		"npx -y pkg@npm:other":                     "no package name",
		"uvx pkg":                                  "uvx pkg",
		"uvx pkg[extra]==1.0 --flag":               "uvx pkg[extra]==1.0",
		"uvx pkg>=1.0,<2":                          "uvx pkg>=1.0,<2",
		"npx @scope/pkg@>=1":                       "npx @scope/pkg@>=1",
		"uvx --from pkg tool":                      "uvx pkg",
		"uvx --python 3.12 --from=pkg tool":        "uvx --python 3.12 | pkg",
		"uvx --with dep pkg@latest":                "uvx --with dep | pkg@latest",
		"uvx --from git+https://x/y tool":          "no package name",
	} {
		words := strings.Fields(command)
		s := registry.Server{Transport: "stdio"}
		if len(words) > 0 {
			s.Command, s.Args = words[0], words[1:]
		}
		f, got := downloadOf(s)
		if got == "" {
			got = strings.Join(append([]string{f.runner}, f.packages...), " ")
			if len(f.options) > 0 {
				got = f.runner + " " + strings.Join(f.options, " ") + " | " + strings.Join(f.packages, " ")
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
	}
	if f, skipped := downloadOf(registry.Server{Transport: "stdio", Command: "npx", Package: registry.Package{Name: "p"}}); skipped != "" || f.packages[0] != "p" {
		t.Errorf("package without arguments: %v, %q", f, skipped)
	}
	if _, skipped := downloadOf(registry.Server{Transport: "sse", Command: "npx", Args: []string{"p"}}); skipped != "no package name" {
		t.Errorf("remote server: %q", skipped)
	}
}

func TestProgramIsTakenFromTheFolderOfTheRunner(t *testing.T) {
	for command, want := range map[string]string{
		"npx": "npm", filepath.Join("x", "npx"): filepath.Join("x", "npm"), filepath.Join("x", "npx.cmd"): filepath.Join("x", "npm.cmd"),
	} {
		if got := beside(command, "npm"); got != want {
			t.Errorf("%s: got %s", command, got)
		}
	}
}

func TestProgramsAreProbedTogetherAndOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		ran := make(map[string]int)
		p := probe{works: func(_ context.Context, program string) bool {
			<-time.After(4 * time.Second)
			mu.Lock()
			defer mu.Unlock()
			ran[program]++
			return program == "npx"
		}}
		began := time.Now()
		for range 3 {
			if got := p.check(t.Context()); got != (Prereqs{NPX: true}) {
				t.Errorf("got %+v", got)
			}
		}
		if took := time.Since(began); took != 4*time.Second || len(ran) != 4 || ran["uvx"] != 1 {
			t.Errorf("ran %v in %v", ran, took)
		}
		<-time.After(probeAge)
		p.check(t.Context())
		if ran["npx"] != 2 {
			t.Errorf("a minute later: ran %v", ran)
		}
		<-time.After(probeAge)
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		p.check(cancelled)
		p.check(t.Context())
		if ran["npx"] != 4 {
			t.Errorf("the result of a cancelled check was reused: %v", ran)
		}
	})
}

func TestTheFilesOfInterruptedDownloadsAreRemoved(t *testing.T) {
	for name, begin := range map[string]func(*Prefetcher){
		"at the start": func(p *Prefetcher) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_ = p.Run(ctx) // returns nil
		},
		"before a download": func(p *Prefetcher) {
			if _, err := p.temporary(); err != nil {
				t.Error(err)
			}
			if _, err := p.temporary(); err != nil { // which keeps the first one
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
		entries, _ := os.ReadDir(folder) // fails if the folder is missing
		if want := map[string]int{"before a download": 2}[name]; len(entries) != want {
			t.Errorf("%s: %d folders", name, len(entries))
		}
	}
}
