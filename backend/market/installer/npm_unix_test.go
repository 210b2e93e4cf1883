//go:build unix

package installer_test

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// weather is an MCP server in JavaScript.
const weather = `#!/usr/bin/env node
require("readline").createInterface({input: process.stdin}).on("line", line => {
	const m = JSON.parse(line)
	if (m.id === undefined) return
	const results = {
		initialize: {protocolVersion: "2025-06-18", capabilities: {tools: {}}, serverInfo: {name: "weather", version: "1.0.0"}},
		"tools/list": {tools: [{name: "forecast", inputSchema: {type: "object"}}]},
	}
	const answer = results[m.method] ? {result: results[m.method]} : {error: {code: -32601, message: "unknown method"}}
	console.log(JSON.stringify({jsonrpc: "2.0", id: m.id, ...answer}))
})
`

// npmPackage returns an npm package with one program, as a tarball.
func npmPackage(t *testing.T, program string) []byte {
	t.Helper()
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	archive := tar.NewWriter(packed)
	for name, content := range map[string]string{
		"package/package.json": `{"name":"@ada/weather","version":"1.0.0","bin":{"weather":"main.js"}}`, "package/main.js": program,
	} {
		if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(content))}); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// npmRegistry serves a package whose tarball is file. The checksum in the document of the package is that of promised.
func npmRegistry(t *testing.T, file, promised []byte) *httptest.Server {
	t.Helper()
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, ".tgz"):
			_, _ = w.Write(file)
		case strings.EqualFold(r.URL.EscapedPath(), "/@ada%2fweather"):
			sum := sha512.Sum512(promised)
			_ = json.NewEncoder(w).Encode(map[string]any{
				"name": "@ada/weather", "dist-tags": map[string]any{"latest": "1.0.0"},
				"versions": map[string]any{"1.0.0": map[string]any{
					"name": "@ada/weather", "version": "1.0.0", "bin": map[string]any{"weather": "main.js"},
					"dist": map[string]any{
						"tarball":   "http://" + r.Host + "/weather-1.0.0.tgz",
						"integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:]),
					},
				}},
			})
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(registry.Close)
	return registry
}

func TestAnNpmPackageIsInstalledWithTheUsersOwnNpm(t *testing.T) {
	for _, program := range []string{"npm", "npx", "node"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
	good, broken := npmPackage(t, weather), npmPackage(t,
		"#!/usr/bin/env node\nconsole.error('Error: the station is closed'); process.exit(1)\n")
	for name, c := range map[string]struct {
		file, promised []byte
		identifier     string
		step           installer.Step
		want           string // part of the error
		line           string // part of the output
	}{
		"a server":                      {good, good, "@ada/weather", installer.Done, "", "/weather-1.0.0.tgz"},
		"a package that exits at once":  {broken, broken, "@ada/weather", installer.Start, "the station is closed", "/weather-1.0.0.tgz"},
		"a wrong checksum":              {good, broken, "@ada/weather", installer.Download, "EINTEGRITY", "EINTEGRITY"},
		"a package that does not exist": {good, good, "@ada/rain", installer.Download, "404", "404"},
	} {
		t.Run(name, func(t *testing.T) {
			registry, cache := npmRegistry(t, c.file, c.promised), t.TempDir()
			b := newBench(t, nil)
			b.extra = []string{"npm_config_registry", registry.URL, "npm_config_cache", cache, "npm_config_fetch_retries", "0"}
			result, err := b.install(order(listing.Package{Kind: listing.KindNPM, Identifier: c.identifier, Version: "1.0.0"}, nil))
			if (err == nil) != (c.want == "") || result.Step != c.step || !strings.Contains(result.Error, c.want) {
				t.Errorf("got %+v, %v", result.Progress, err)
			}
			if lines, _ := b.Lines(result.ID); !slices.ContainsFunc(lines,
				func(line string) bool { return strings.Contains(line, c.line) }) {
				t.Errorf("the output is %q", lines)
			}
			if c.want != "" {
				b.checkNothingLeft()
			} else if result.Progress.Tools != 1 {
				t.Errorf("got %+v", result.Progress)
			}
		})
	}
}

// skipWithoutNpm skips a test if npm is not installed.
func skipWithoutNpm(t *testing.T) {
	t.Helper()
	for _, program := range []string{"npm", "npx", "node"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
}

func TestAFailureOfNpmShowsItsCauseAndLeavesNothingBehind(t *testing.T) {
	skipWithoutNpm(t)
	body := func(status int, kind, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text)
		}
	}
	for name, c := range map[string]struct {
		answer  http.HandlerFunc // nil means that the registry cannot be reached
		tls     bool
		want    string // part of the error
		timeout string // npm's timeout in milliseconds
	}{
		"no network":                     {nil, false, "ECONNREFUSED", ""},
		"a certificate that npm refuses": {body(200, "application/json", "{}"), true, "certificate", ""},
		"an error of the registry":       {body(500, "text/plain", "out of order"), false, "500", ""},
		"a web page":                     {body(200, "text/html", "<html>Sign in"), false, "JSON", ""},
		"values of the wrong type": {
			body(200, "application/json", `{"name":7,"versions":[1],"dist-tags":"x"}`), false, "@ada/weather", "",
		},
		"a registry that does not answer": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, false, "timeout", "500"},
	} {
		t.Run(name, func(t *testing.T) {
			registry := httptest.NewUnstartedServer(c.answer)
			registry.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes fail on purpose
			if c.tls {
				registry.StartTLS()
			} else {
				registry.Start()
			}
			defer registry.Close()
			defer registry.CloseClientConnections()
			if c.answer == nil {
				registry.Close()
			}
			b := newBench(t, nil)
			b.extra = []string{
				"npm_config_registry", registry.URL, "npm_config_cache", t.TempDir(), "npm_config_fetch_retries", "0",
				"npm_config_fetch_timeout", cmp.Or(c.timeout, "60000"),
			}
			result, err := b.install(order(listing.Package{Kind: listing.KindNPM, Identifier: "@ada/weather", Version: "1.0.0"}, nil))
			if err == nil || result.Step != installer.Download || !strings.Contains(result.Error, c.want) ||
				!strings.HasPrefix(result.Error, "npm could not install @ada/weather@1.0.0: ") {
				t.Errorf("got %+v, %v", result.Progress, err)
			}
			b.checkNothingLeft()
		})
	}
}
