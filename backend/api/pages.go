package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// pages serves the dashboard's own files. They hold nothing of the user's and
// need no token; what they show they ask for themselves.
type pages struct{ files map[string]page }

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

// newPages reads all files of a file system that cannot fail: they are part of
// this program.
func newPages(files fs.FS) *pages {
	p := &pages{files: make(map[string]page)}
	_ = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && kinds[path.Ext(name)] != "" {
			content, _ := fs.ReadFile(files, name)
			p.files["/"+name] = newPage(content, path.Ext(name))
		}
		return nil
	})
	p.files["/"] = p.files["/index.html"]
	return p
}

func newPage(content []byte, extension string) page {
	sum := sha256.Sum256(content)
	return page{content, kinds[extension], `"` + hex.EncodeToString(sum[:8]) + `"`}
}

func (p *pages) find(r *http.Request) (page, bool) {
	if !reads(r) {
		return page{}, false
	}
	name := r.URL.Path
	if id, ok := strings.CutPrefix(name, "/tester/"); ok && id != "" && !strings.Contains(id, "/") {
		name = "/"
	}
	found, ok := p.files[name]
	return found, ok
}

func (p *pages) has(r *http.Request) bool {
	_, ok := p.find(r)
	return ok
}

// ServeHTTP implements http.Handler; it answers for all that is not here, too.
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	found, ok := p.find(r)
	if !ok {
		notFound(w, r)
		return
	}
	found.serve(w, r)
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
