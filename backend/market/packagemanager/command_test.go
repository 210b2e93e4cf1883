package packagemanager

import (
	"path/filepath"
	"strings"
	"testing"

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
		"uvx --with-editable other pkg":            "uvx --with-editable other | pkg",
		"uvx --quiet -P other pkg":                 "uvx pkg",
		"uvx --future other pkg":                   "the option --future is not known",
		"uvx --future=other pkg":                   "uvx pkg",
		"npx --tag next pkg":                       "npx --tag next | pkg",
		"npx --no-audit --script-shell sh pkg":     "npx pkg",
		"npx --future other pkg":                   "the option --future is not known",
	} {
		words := strings.Fields(command)
		s := registry.Server{Transport: "stdio"}
		if len(words) > 0 {
			s.Command, s.Args = words[0], words[1:]
		}
		f, got := Parse(s)
		if got == "" {
			got = strings.Join(append([]string{f.Runner}, f.Packages...), " ")
			if len(f.Options) > 0 {
				got = f.Runner + " " + strings.Join(f.Options, " ") + " | " + strings.Join(f.Packages, " ")
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
	}
	if f, skipped := Parse(registry.Server{Transport: "stdio", Command: "npx", Package: registry.Package{Name: "p"}}); skipped != "" ||
		f.Packages[0] != "p" {
		t.Errorf("package without arguments: %v, %q", f, skipped)
	}
	if _, skipped := Parse(registry.Server{Transport: "sse", Command: "npx", Args: []string{"p"}}); skipped != "no package name" {
		t.Errorf("remote server: %q", skipped)
	}
}

func TestProgramIsTakenFromTheFolderOfTheRunner(t *testing.T) {
	for command, want := range map[string]string{
		"npx": "npm", filepath.Join("x", "npx"): filepath.Join("x", "npm"), filepath.Join("x", "npx.cmd"): filepath.Join("x", "npm.cmd"),
	} {
		if got := (CommandLine{Command: command}).Beside("npm"); got != want {
			t.Errorf("%s: got %s", command, got)
		}
	}
}
