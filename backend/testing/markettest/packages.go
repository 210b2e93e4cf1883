package markettest

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Packages is an npm registry and a Python package index on loopback, from which npm and uv install the packages that a
// test publishes.
type Packages struct {
	NPM, PyPI string // their addresses
	Asked     func() // is called for each request, before its answer; may be nil

	mu       sync.Mutex
	packages map[string]artifact // by name
}

// artifact is a package in one of the registries.
type artifact struct {
	manifest map[string]any // npm manifest; nil for Python packages
	at       time.Time      // when it was published; zero if the registry does not tell
	file     string         // name of the file
	data     []byte
}

// ServePackages serves package registries, which are empty at first, until the test ends.
func ServePackages(t testing.TB) *Packages {
	t.Helper()
	p := &Packages{packages: make(map[string]artifact)}
	server := httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(server.Close)
	p.NPM, p.PyPI = server.URL+"/npm/", server.URL+"/simple/"
	return p
}

// serve answers as the npm registry and the Python package index.
func (p *Packages) serve(w http.ResponseWriter, r *http.Request) {
	if p.Asked != nil {
		p.Asked()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	path := strings.Trim(r.URL.Path, "/")
	name := strings.TrimPrefix(strings.TrimPrefix(path, "npm/"), "simple/")
	for _, a := range p.packages {
		if strings.HasSuffix(path, "/"+a.file) {
			_, _ = w.Write(a.data) // fails if the client has left
			return
		}
	}
	name, exact := strings.CutSuffix(name, "/1.0.0")
	a, known := p.packages[name]
	switch {
	case !known:
		http.NotFound(w, r)
	case a.manifest == nil:
		sum := sha256.Sum256(a.data)
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!DOCTYPE html><a href=\"/files/%s#sha256=%s\">%s</a>", a.file, hex.EncodeToString(sum[:]), a.file)
	case exact:
		_ = json.NewEncoder(w).Encode(a.manifest) // fails if the client has left
	default:
		sum := sha512.Sum512(a.data)
		manifest := maps.Clone(a.manifest)
		manifest["dist"] = map[string]string{"tarball": p.NPM + a.file, "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
		version := manifest["version"].(string)
		document := map[string]any{
			"name": name, "dist-tags": map[string]string{"latest": version}, "versions": map[string]any{version: manifest},
		}
		if !a.at.IsZero() {
			document["time"] = map[string]string{"created": a.at.Format(time.RFC3339), version: a.at.Format(time.RFC3339)}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(document)
	}
}

// PublishedAt sets when a package was published. Without it, the registry does not tell.
func (p *Packages) PublishedAt(name string, at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.packages[name]
	a.at = at
	p.packages[name] = a
}

// PublishNPM publishes version 1.0.0 of an npm package with these files. The members of more are added to its manifest.
// Without an index.js, the package is an MCP server with one tool.
func (p *Packages) PublishNPM(t testing.TB, name string, files map[string]string, more map[string]any) {
	t.Helper()
	manifest := map[string]any{"name": name, "version": "1.0.0", "bin": "index.js"}
	maps.Copy(manifest, more)
	text, err := json.Marshal(manifest)
	if err != nil {
		t.Fatal(err)
	}
	files = maps.Clone(files)
	if files == nil {
		files = make(map[string]string)
	}
	files["package.json"] = string(text)
	if _, named := files["index.js"]; !named {
		files["index.js"] = "#!/usr/bin/env node\n" + SmallServer
	}
	if scripts, has := manifest["scripts"].(map[string]string); has && scripts["install"] != "" {
		manifest["hasInstallScript"] = true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.packages[name] = artifact{manifest: manifest, file: name + "-1.0.0.tgz", data: Tarball(t, "package/", files)}
}

// PublishWheel publishes version 1.0 of a Python package with these files, which is installed without a build. The
// program with the name of the package calls the function main of the module with this name.
func (p *Packages) PublishWheel(t testing.TB, name string, files map[string]string) {
	t.Helper()
	p.PublishPython(name, name+"-1.0-py3-none-any.whl", Wheel(t, name, files))
}

// PublishPython publishes a file as a Python package.
func (p *Packages) PublishPython(name, file string, data []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.packages[name] = artifact{file: file, data: data}
}

// SmallServer is a JavaScript program that acts as an MCP server with one tool.
const SmallServer = `
require("node:readline").createInterface({input: process.stdin}).on("line", (line) => {
	const {id, method} = JSON.parse(line);
	const results = {initialize: {protocolVersion: "2025-06-18", capabilities: {tools: {}}, serverInfo: {name: "small", version: "1"}},
		"tools/list": {tools: [{name: "first", description: "The only tool", inputSchema: {type: "object"}}]}};
	if (id !== undefined) console.log(JSON.stringify({jsonrpc: "2.0", id,
		...(results[method] ? {result: results[method]} : {error: {code: -32601, message: "unknown"}})}));
});
`

// Tarball returns a compressed archive that contains a folder with these files, which can be executed.
func Tarball(t testing.TB, folder string, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	w := tar.NewWriter(zipped)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := w.WriteHeader(&tar.Header{
			Name: folder + name, Mode: 0o755, Size: int64(len(files[name])), Typeflag: tar.TypeReg,
		}); err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write([]byte(files[name])) // Close reports the error
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Wheel returns a Python package as a wheel; see PublishWheel.
func Wheel(t testing.TB, name string, files map[string]string) []byte {
	t.Helper()
	info := name + "-1.0.dist-info/"
	files = maps.Clone(files)
	if files == nil {
		files = make(map[string]string)
	}
	if _, described := files[info+"METADATA"]; !described {
		files[info+"METADATA"] = "Metadata-Version: 2.1\nName: " + name + "\nVersion: 1.0\n"
	}
	files[info+"WHEEL"] = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
	files[info+"entry_points.txt"] = "[console_scripts]\n" + name + " = " + name + ":main\n"
	files[info+"RECORD"] = ""
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(path, "RECORD") {
			for _, each := range slices.Sorted(maps.Keys(files)) {
				files[path] += each + ",,\n"
			}
		}
		file, err := w.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = file.Write([]byte(files[path])) // Close reports the error
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
