//go:build unix

package oci_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/market/oci"
)

func TestTheDigestComesFromTheUsersOwnTools(t *testing.T) {
	sum := "sha256:" + strings.Repeat("a", 64)
	for name, c := range map[string]struct {
		skopeo, docker string // shell scripts; empty if the program is not installed
		reference      string
		want           string // the digest
		problem        string
		calls          string
	}{
		"skopeo": {
			skopeo: "echo " + sum, docker: "exit 1", want: sum,
			calls: "skopeo inspect --no-tags --format {{.Digest}} docker://x.example/weather:latest\n",
		},
		"docker": {
			docker: "echo " + sum, want: sum,
			calls: "docker buildx imagetools inspect --format {{.Manifest.Digest}} x.example/weather:latest\n",
		},
		"skopeo fails": {
			skopeo: "exit 1", docker: "echo " + sum, want: sum,
			calls: "skopeo inspect --no-tags --format {{.Digest}} docker://x.example/weather:latest\n" +
				"docker buildx imagetools inspect --format {{.Manifest.Digest}} x.example/weather:latest\n",
		},
		"both fail":      {skopeo: "exit 1", docker: "echo unauthorized >&2; exit 1", problem: "unauthorized"},
		"no digest":      {skopeo: "echo nothing", problem: "skopeo could not find out"},
		"nothing":        {problem: "a comparison downloads the image"},
		"an option":      {skopeo: "echo " + sum, reference: "--authfile=/x", problem: "is not the name of an image"},
		"another scheme": {skopeo: "echo " + sum, reference: "x y", problem: "is not the name of an image"},
	} {
		t.Run(name, func(t *testing.T) {
			bin := t.TempDir()
			for program, script := range map[string]string{"skopeo": c.skopeo, "docker": c.docker} {
				if script == "" {
					continue
				}
				text := "#!/bin/sh\necho " + program + ` "$@" >> "` + bin + "/calls\"\n" + script + "\n"
				if err := os.WriteFile(filepath.Join(bin, program), []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if c.reference == "" {
				c.reference = "x.example/weather:latest"
			}
			images := oci.New(func(context.Context) process.Env { return process.Clean().With("PATH", bin) })
			got, err := images.Digest(t.Context(), c.reference)
			if got != c.want || (err == nil) != (c.problem == "") || !strings.Contains(fault.MessageOf(err), c.problem) {
				t.Errorf("got %q, %v", got, err)
			}
			if calls, _ := os.ReadFile(filepath.Join(bin, "calls")); c.calls != "" && string(calls) != c.calls {
				t.Errorf("called were %q", calls)
			}
		})
	}
}
