package hubtest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Registries are an official MCP registry, an npm registry and a Python package index on loopback, which answer as
// the real ones do.
type Registries struct {
	*httptest.Server
	t *testing.T

	Mu       sync.Mutex
	entries  []map[string]any      // of the official registry
	PageSize int                   // entries per page; 0 for all on one page
	Next     string                // cursor after the last page, which selects an empty page; "" for none
	packages map[string]NpmPackage // by name
	Index    map[string]string     // summaries of packages of the package index by name
	Any      bool                  // npm has every package, except those whose names contain "nope"
	Requests []string              // requests to the official registry so far, as paths with queries
	Hold     func(query url.Values)
}

// NpmPackage is a version of a package in the npm registry.
type NpmPackage struct {
	Version, Description, Repository string
	Program                          string // JavaScript; empty if the package has no files
	file                             []byte
	former                           *NpmPackage // the previous version
}

// NewRegistries serves empty registries until the test ends.
func NewRegistries(t *testing.T) *Registries {
	t.Helper()
	r := &Registries{t: t, packages: make(map[string]NpmPackage), Index: make(map[string]string)}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.Close)
	return r
}

// Configure writes the settings of npm, uv and pip in a home folder, so that they use these registries.
func (r *Registries) Configure(home string) {
	r.t.Helper()
	WriteFile(r.t, filepath.Join(home, ".npmrc"),
		"registry="+r.URL+"/npm/\ncache="+filepath.Join(home, ".npm-cache")+"\nfetch-retries=0\nupdate-notifier=false\n")
	if err := os.MkdirAll(filepath.Join(home, ".config", "pip"), 0o700); err != nil {
		r.t.Fatal(err)
	}
	WriteFile(r.t, filepath.Join(home, ".config", "pip", "pip.conf"), "[global]\nindex-url = "+r.URL+"/pypi-index/simple\n")
}

// Home sets a new home folder whose login shell finds node and npx and whose package managers use the registries.
// It skips the test if the programs are not installed.
func (r *Registries) Home() {
	r.t.Helper()
	var folders []string
	for _, program := range []string{"npx", "node"} {
		path, err := exec.LookPath(program)
		if err != nil {
			r.t.Skip(program + " is not installed")
		}
		folders = append(folders, filepath.Dir(path))
	}
	SetHome(r.t)
	home := os.Getenv("HOME")
	WriteFile(r.t, filepath.Join(home, ".profile"), "PATH="+strings.Join(folders, ":")+":/usr/bin:/bin\nexport PATH\n")
	r.Configure(home)
}

// Add adds a version of an entry to the official registry and makes it the latest one.
func (r *Registries) Add(name, version string, server map[string]any) {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	server["name"], server["version"] = name, version
	for _, e := range r.entries {
		if e["server"].(map[string]any)["name"] == name {
			Official(e)["isLatest"] = false
		}
	}
	at := "2026-01-02T03:04:05Z"
	r.entries = append(r.entries,
		map[string]any{"server": server, "_meta": map[string]any{"io.modelcontextprotocol.registry/official": map[string]any{
			"status": "active", "publishedAt": at, "updatedAt": at, "isLatest": true,
		}}})
}

// Official returns the metadata that the official registry adds to an entry.
func Official(entry map[string]any) map[string]any {
	return entry["_meta"].(map[string]any)["io.modelcontextprotocol.registry/official"].(map[string]any)
}

// Publish adds a package with one program to npm.
func (r *Registries) Publish(name string, p NpmPackage) {
	r.t.Helper()
	manifest, err := json.Marshal(map[string]any{
		"name": name, "version": p.Version, "bin": map[string]string{filepath.Base(name): "main.js"},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	archive := tar.NewWriter(packed)
	for file, content := range map[string]string{"package/package.json": string(manifest), "package/main.js": p.Program} {
		if err := archive.WriteHeader(&tar.Header{Name: file, Mode: 0o755, Size: int64(len(content))}); err != nil {
			r.t.Fatal(err)
		}
		if _, err := archive.Write([]byte(content)); err != nil {
			r.t.Fatal(err)
		}
	}
	if archive.Close() != nil || packed.Close() != nil {
		r.t.Fatal("could not pack " + name)
	}
	p.file = out.Bytes()
	r.Mu.Lock()
	defer r.Mu.Unlock()
	if former, published := r.packages[name]; published {
		p.former = &former
	}
	r.packages[name] = p
}

// Asked returns a copy of Requests.
func (r *Registries) Asked() []string {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	return append([]string{}, r.Requests...)
}

func (r *Registries) serve(w http.ResponseWriter, req *http.Request) {
	path := req.URL.Path
	switch {
	case strings.HasPrefix(path, "/v0.1/servers"):
		r.serveOfficial(w, req)
	case path == "/npm/-/v1/search":
		r.serveSearch(w)
	case strings.HasPrefix(path, "/npm/"):
		r.serveNPM(w, strings.TrimPrefix(path, "/npm/"))
	case strings.HasPrefix(path, "/pypi-index/pypi/"):
		r.servePyPI(w, strings.Split(path, "/")[3])
	default:
		http.NotFound(w, req)
	}
}

func (r *Registries) serveOfficial(w http.ResponseWriter, req *http.Request) {
	query := req.URL.Query()
	r.Mu.Lock()
	r.Requests = append(r.Requests, req.URL.RequestURI())
	hold := r.Hold
	r.Mu.Unlock()
	if hold != nil {
		hold(query)
	}
	r.Mu.Lock()
	defer r.Mu.Unlock()
	if rest := strings.TrimPrefix(req.URL.Path, "/v0.1/servers"); rest != "" {
		r.serveEntry(w, strings.Split(strings.Trim(rest, "/"), "/versions/"))
		return
	}
	var found []map[string]any
	for _, e := range r.entries {
		if query.Get("version") != "latest" || Official(e)["isLatest"] == true {
			found = append(found, e)
		}
	}
	if r.Next != "" && query.Get("cursor") == r.Next {
		Send(w, map[string]any{"servers": []any{}, "metadata": map[string]any{"count": 0}})
		return
	}
	from, _ := strconv.Atoi(query.Get("cursor")) // an invalid cursor selects the first page
	from = max(from, 0)
	to, next := len(found), r.Next
	if r.PageSize > 0 && from+r.PageSize < len(found) {
		to = from + r.PageSize
		next = strconv.Itoa(to)
	}
	Send(w, map[string]any{"servers": found[min(from, to):to], "metadata": map[string]any{"nextCursor": next, "count": to - min(from, to)}})
}

// serveEntry serves an entry. names are the name and the version of the entry; the version may be "latest". The
// caller holds r.Mu.
func (r *Registries) serveEntry(w http.ResponseWriter, names []string) {
	for _, e := range r.entries {
		server := e["server"].(map[string]any)
		if len(names) == 2 && server["name"] == names[0] &&
			(server["version"] == names[1] || names[1] == "latest" && Official(e)["isLatest"] == true) {
			Send(w, e)
			return
		}
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write([]byte(`{"title":"Not Found","status":404,"detail":"Server not found"}`))
}

func (r *Registries) serveSearch(w http.ResponseWriter) {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	objects := []any{}
	for name, p := range r.packages {
		links := map[string]string{}
		if p.Repository != "" {
			links["repository"] = p.Repository
		}
		objects = append(objects, map[string]any{
			"package": map[string]any{
				"name": name, "version": p.Version, "description": p.Description, "keywords": []string{"mcp"}, "links": links,
			},
		})
	}
	Send(w, map[string]any{"objects": objects, "total": len(objects)})
}

func (r *Registries) serveNPM(w http.ResponseWriter, path string) {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	if file, ok := strings.CutSuffix(path, ".tgz"); ok {
		name, version := filepath.Split(file)
		for p := r.packages[strings.TrimSuffix(name, "/")]; ; p = *p.former {
			if p.Version == version || p.former == nil {
				_, _ = w.Write(p.file)
				return
			}
		}
	}
	name, latest := strings.CutSuffix(path, "/latest")
	p, known := r.packages[name]
	if !known && (!r.Any || strings.Contains(name, "nope")) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"error":"Not found"}`))
		return
	}
	if !known {
		p.Version = "1.0.0"
	}
	if latest {
		Send(w, r.manifest(name, p, known))
		return
	}
	versions := make(map[string]any)
	for one := &p; one != nil; one = one.former {
		versions[one.Version] = r.manifest(name, *one, known)
	}
	Send(w, map[string]any{"name": name, "dist-tags": map[string]string{"latest": p.Version}, "versions": versions})
}

// manifest returns the npm manifest of a version of a package.
func (r *Registries) manifest(name string, p NpmPackage, known bool) map[string]any {
	sum := sha512.Sum512(p.file)
	manifest := map[string]any{
		"name": name, "version": p.Version, "description": p.Description, "keywords": []string{"mcp"},
		"dist": map[string]any{
			"tarball":   r.URL + "/npm/" + name + "/" + p.Version + ".tgz",
			"integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:]),
		},
	}
	if known {
		manifest["bin"] = map[string]string{filepath.Base(name): "main.js"}
	}
	return manifest
}

func (r *Registries) servePyPI(w http.ResponseWriter, name string) {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	summary, ok := r.Index[name]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	Send(w, map[string]any{
		"info": map[string]any{"name": name, "version": "2.0.0", "summary": summary}, "urls": []any{}, "releases": map[string]any{},
	})
}

// Send answers a request with v as JSON.
func Send(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // fails when the client is gone
}
