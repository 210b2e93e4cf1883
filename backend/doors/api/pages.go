package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// pages serves the dashboard's own files. They hold nothing of the user's and
// need no token; what they show they ask for themselves. A file is read when it
// is asked for: most hubs serve no page for days, and need not hold a copy.
type pages struct {
	files fs.FS
	tags  map[string]func() string // ETags, by the path on the hub
}

type page struct {
	content []byte
	kind    string // Content-Type
	tag     string // ETag
}

// kinds are asked instead of the operating system, which may not know or have
// been told wrong.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon",
	".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8", ".webmanifest": "application/manifest+json",
}

// newPages takes a file system that cannot fail: it is part of this program.
func newPages(files fs.FS) *pages {
	p := &pages{files: files, tags: make(map[string]func() string)}
	_ = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && kinds[path.Ext(name)] != "" {
			p.tags[name] = sync.OnceValue(func() string { return etagOf(p.read(name)) })
		}
		return nil
	})
	return p
}

func (p *pages) read(name string) []byte {
	content, _ := fs.ReadFile(p.files, name)
	return content
}

func etagOf(content []byte) string {
	sum := sha256.Sum256(content)
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}

func newPage(content []byte, extension string) page {
	return page{content, kinds[extension], etagOf(content)}
}

// find returns the name of the file that answers a request.
func (p *pages) find(r *http.Request) (name string, ok bool) {
	if !reads(r) {
		return "", false
	}
	name = strings.TrimPrefix(r.URL.Path, "/")
	if id, ok := strings.CutPrefix(name, "tester/"); name == "" || ok && id != "" && !strings.Contains(id, "/") {
		name = "index.html"
	}
	_, ok = p.tags[name]
	return name, ok
}

func (p *pages) has(r *http.Request) bool {
	_, ok := p.find(r)
	return ok
}

// ServeHTTP implements http.Handler; it answers for all that is not here, too.
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, ok := p.find(r)
	if !ok {
		notFound(w, r)
		return
	}
	page{p.read(name), kinds[path.Ext(name)], p.tags[name]()}.serve(w, r)
}

func (f page) serve(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", f.kind)
	header.Set("Cache-Control", "no-cache")
	header.Set("Etag", f.tag)
	header.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "+
		"media-src 'self' data: blob:; font-src 'self'; connect-src 'self' ws://"+r.Host+"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.content))
}
