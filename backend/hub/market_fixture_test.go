package hub_test

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

// registries are an official registry, an npm registry and a package index on loopback, which answer as real ones do.
type registries struct {
	*httptest.Server
	t *testing.T

	mu       sync.Mutex
	entries  []map[string]any      // of the official registry
	pageSize int                   // 0: all entries are on one page
	next     string                // cursor that follows the last page; it leads to an empty one
	packages map[string]npmPackage // by name
	index    map[string]string     // summaries of packages of the package index by name
	any      bool                  // npm has all packages whose names do not contain nope
	requests []string              // to the official registry, as paths with queries
	hold     func(query url.Values)
}

type npmPackage struct {
	version, description, repository string
	program                          string // JavaScript; empty if the package has no files
	file                             []byte
	former                           *npmPackage // the version before
}

func newRegistries(t *testing.T) *registries {
	t.Helper()
	r := &registries{t: t, packages: make(map[string]npmPackage), index: make(map[string]string)}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.Close)
	return r
}

// configure makes npm, uv and pip use the registries in a home folder.
func (r *registries) configure(home string) {
	r.t.Helper()
	writeFile(r.t, filepath.Join(home, ".npmrc"), "registry="+r.URL+"/npm/\ncache="+filepath.Join(home, ".npm-cache")+"\nfetch-retries=0\nupdate-notifier=false\n")
	if err := os.MkdirAll(filepath.Join(home, ".config", "pip"), 0o700); err != nil {
		r.t.Fatal(err)
	}
	writeFile(r.t, filepath.Join(home, ".config", "pip", "pip.conf"), "[global]\nindex-url = "+r.URL+"/pypi-index/simple\n")
}

// home makes a home folder whose login shell finds node and npx. It skips the test if they are not installed.
func (r *registries) home() {
	r.t.Helper()
	var folders []string
	for _, program := range []string{"npx", "node"} {
		path, err := exec.LookPath(program)
		if err != nil {
			r.t.Skip(program + " is not installed")
		}
		folders = append(folders, filepath.Dir(path))
	}
	setHome(r.t)
	home := os.Getenv("HOME")
	writeFile(r.t, filepath.Join(home, ".profile"), "PATH="+strings.Join(folders, ":")+":/usr/bin:/bin\nexport PATH\n")
	r.configure(home)
}

// add adds an entry to the official registry, as its latest version, unless it has an entry of that name.
func (r *registries) add(name, version string, server map[string]any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	server["name"], server["version"] = name, version
	for _, e := range r.entries {
		if e["server"].(map[string]any)["name"] == name {
			official(e)["isLatest"] = false
		}
	}
	at := "2026-01-02T03:04:05Z"
	r.entries = append(r.entries, map[string]any{"server": server, "_meta": map[string]any{"io.modelcontextprotocol.registry/official": map[string]any{
		"status": "active", "publishedAt": at, "updatedAt": at, "isLatest": true,
	}}})
}

func official(entry map[string]any) map[string]any {
	return entry["_meta"].(map[string]any)["io.modelcontextprotocol.registry/official"].(map[string]any)
}

// publish adds a package with one program to npm.
func (r *registries) publish(name string, p npmPackage) {
	r.t.Helper()
	manifest, err := json.Marshal(map[string]any{"name": name, "version": p.version, "bin": map[string]string{filepath.Base(name): "main.js"}})
	if err != nil {
		r.t.Fatal(err)
	}
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	archive := tar.NewWriter(packed)
	for file, content := range map[string]string{"package/package.json": string(manifest), "package/main.js": p.program} {
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
	r.mu.Lock()
	defer r.mu.Unlock()
	if former, published := r.packages[name]; published {
		p.former = &former
	}
	r.packages[name] = p
}

// asked returns the requests to the official registry.
func (r *registries) asked() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string{}, r.requests...)
}

func (r *registries) serve(w http.ResponseWriter, req *http.Request) {
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

func (r *registries) serveOfficial(w http.ResponseWriter, req *http.Request) {
	query := req.URL.Query()
	r.mu.Lock()
	r.requests = append(r.requests, req.URL.RequestURI())
	hold := r.hold
	r.mu.Unlock()
	if hold != nil {
		hold(query)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if rest := strings.TrimPrefix(req.URL.Path, "/v0.1/servers"); rest != "" {
		r.serveEntry(w, strings.Split(strings.Trim(rest, "/"), "/versions/"))
		return
	}
	var found []map[string]any
	for _, e := range r.entries {
		if query.Get("version") != "latest" || official(e)["isLatest"] == true {
			found = append(found, e)
		}
	}
	if r.next != "" && query.Get("cursor") == r.next {
		send(w, map[string]any{"servers": []any{}, "metadata": map[string]any{"count": 0}})
		return
	}
	from, _ := strconv.Atoi(query.Get("cursor")) // a bad cursor answers the first page
	from = max(from, 0)
	to, next := len(found), r.next
	if r.pageSize > 0 && from+r.pageSize < len(found) {
		to = from + r.pageSize
		next = strconv.Itoa(to)
	}
	send(w, map[string]any{"servers": found[min(from, to):to], "metadata": map[string]any{"nextCursor": next, "count": to - min(from, to)}})
}

// serveEntry serves a version of an entry, or the latest one. The caller holds mu.
func (r *registries) serveEntry(w http.ResponseWriter, names []string) {
	for _, e := range r.entries {
		server := e["server"].(map[string]any)
		if len(names) == 2 && server["name"] == names[0] && (server["version"] == names[1] || names[1] == "latest" && official(e)["isLatest"] == true) {
			send(w, e)
			return
		}
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write([]byte(`{"title":"Not Found","status":404,"detail":"Server not found"}`))
}

func (r *registries) serveSearch(w http.ResponseWriter) {
	r.mu.Lock()
	defer r.mu.Unlock()
	objects := []any{}
	for name, p := range r.packages {
		links := map[string]string{}
		if p.repository != "" {
			links["repository"] = p.repository
		}
		objects = append(objects, map[string]any{"package": map[string]any{"name": name, "version": p.version, "description": p.description, "keywords": []string{"mcp"}, "links": links}})
	}
	send(w, map[string]any{"objects": objects, "total": len(objects)})
}

func (r *registries) serveNPM(w http.ResponseWriter, path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if file, ok := strings.CutSuffix(path, ".tgz"); ok {
		name, version := filepath.Split(file)
		for p := r.packages[strings.TrimSuffix(name, "/")]; ; p = *p.former {
			if p.version == version || p.former == nil {
				_, _ = w.Write(p.file)
				return
			}
		}
	}
	name, latest := strings.CutSuffix(path, "/latest")
	p, known := r.packages[name]
	if !known && (!r.any || strings.Contains(name, "nope")) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"error":"Not found"}`))
		return
	}
	if !known {
		p.version = "1.0.0"
	}
	if latest {
		send(w, r.manifest(name, p, known))
		return
	}
	versions := make(map[string]any)
	for one := &p; one != nil; one = one.former {
		versions[one.version] = r.manifest(name, *one, known)
	}
	send(w, map[string]any{"name": name, "dist-tags": map[string]string{"latest": p.version}, "versions": versions})
}

// manifest returns what npm says about a version of a package.
func (r *registries) manifest(name string, p npmPackage, known bool) map[string]any {
	sum := sha512.Sum512(p.file)
	manifest := map[string]any{
		"name": name, "version": p.version, "description": p.description, "keywords": []string{"mcp"},
		"dist": map[string]any{"tarball": r.URL + "/npm/" + name + "/" + p.version + ".tgz", "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])},
	}
	if known {
		manifest["bin"] = map[string]string{filepath.Base(name): "main.js"}
	}
	return manifest
}

func (r *registries) servePyPI(w http.ResponseWriter, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	summary, ok := r.index[name]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	send(w, map[string]any{"info": map[string]any{"name": name, "version": "2.0.0", "summary": summary}, "urls": []any{}, "releases": map[string]any{}})
}

func send(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // fails when the client is gone
}
