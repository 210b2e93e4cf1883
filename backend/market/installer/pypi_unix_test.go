//go:build unix

package installer_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// station is an MCP server in Python.
const station = `import json, sys
def main():
    for line in sys.stdin:
        m = json.loads(line)
        if "id" not in m:
            continue
        results = {
            "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "weather", "version": "1.0.0"}},
            "tools/list": {"tools": [{"name": "forecast", "inputSchema": {"type": "object"}}]},
        }
        answer = {"result": results[m["method"]]} if m["method"] in results else {"error": {"code": -32601, "message": "unknown method"}}
        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], **answer}), flush=True)
`

// wheel returns a Python package with one program, as a wheel.
func wheel(t *testing.T, program string) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, file := range [][2]string{
		{"ada_weather.py", program},
		{"ada_weather-1.0.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: ada-weather\nVersion: 1.0.0\n"},
		{"ada_weather-1.0.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
		{"ada_weather-1.0.0.dist-info/entry_points.txt", "[console_scripts]\nada-weather = ada_weather:main\n"},
		{"ada_weather-1.0.0.dist-info/RECORD", ""},
	} {
		w, err := archive.Create(file[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(file[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestAPythonPackageIsInstalledWithTheUsersOwnUv(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	t.Setenv("PATH", mcptest.UV(t)+":"+os.Getenv("PATH"))
	good, broken := wheel(t, station), wheel(t, "import sys\ndef main():\n    sys.exit('Error: the station is closed')\n")
	for name, c := range map[string]struct {
		file, promised []byte
		identifier     string
		step           installer.Step
		want           string // part of the error
	}{
		"a server":                      {good, good, "ada-weather", installer.Done, ""},
		"a package that exits at once":  {broken, broken, "ada-weather", installer.Start, "the station is closed"},
		"a wrong checksum":              {good, broken, "ada-weather", installer.Download, "Hash mismatch"},
		"a package that does not exist": {good, good, "ada-rain", installer.Download, "ada-rain was not found"},
	} {
		t.Run(name, func(t *testing.T) {
			index := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case strings.HasSuffix(r.URL.Path, ".whl"):
					_, _ = w.Write(c.file)
				case r.URL.Path == "/simple/ada-weather/":
					w.Header().Set("Content-Type", "text/html")
					_, _ = fmt.Fprintf(w,
						`<!DOCTYPE html><a href="/ada_weather-1.0.0-py3-none-any.whl#sha256=%x">ada_weather-1.0.0-py3-none-any.whl</a>`,
						sha256.Sum256(c.promised))
				default:
					http.NotFound(w, r)
				}
			}))
			defer index.Close()
			b := newBench(t, nil)
			b.extra = []string{"UV_DEFAULT_INDEX", index.URL + "/simple", "UV_CACHE_DIR", t.TempDir(), "UV_PYTHON_DOWNLOADS", "never"}
			result, err := b.install(order(listing.Package{Kind: listing.KindPyPI, Identifier: c.identifier, Version: "1.0.0"}, nil))
			if (err == nil) != (c.want == "") || result.Step != c.step || !strings.Contains(result.Error, c.want) {
				t.Errorf("got %+v, %v", result.Progress, err)
			}
			if c.want != "" {
				b.checkNothingLeft()
				return
			}
			lines, _ := b.Lines(result.ID)
			if result.Progress.Tools != 1 ||
				!slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, "Installed 1 package") }) {
				t.Errorf("got %+v, the output is %q", result.Progress, lines)
			}
		})
	}
}
