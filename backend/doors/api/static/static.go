// Package static serves files that are part of the program: the files of the dashboard, and single files such as the
// documentation of the API. The files contain no user data, so they are served without a token.
package static

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/doors/api/route"
)

// contentTypes maps file extensions to content types. The table of the operating system is not used, because it may be
// missing or changed.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon",
	".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8", ".webmanifest": "application/manifest+json",
}

// Dashboard serves the files of the dashboard, and answers 404 for every other path. It opens a file for each request
// instead of keeping all files in memory, because most hubs serve no page for days.
type Dashboard struct {
	files fs.FS
	etags map[string]func() string // by path
}

// NewDashboard returns a handler for the files whose extension is in contentTypes.
func NewDashboard(files fs.FS) *Dashboard {
	d := &Dashboard{files: files, etags: make(map[string]func() string)}
	_ = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error { // embedded files can always be read
		if err == nil && !entry.IsDir() && contentTypes[path.Ext(name)] != "" {
			d.etags[name] = sync.OnceValue(func() string { return etagOf(d.read(name)) })
		}
		return nil
	})
	return d
}

func (d *Dashboard) read(name string) []byte {
	content, _ := fs.ReadFile(d.files, name)
	return content
}

// pages contains the first path segments that open a page of the dashboard, so that a link such as /servers/memory
// works. The dashboard itself keeps the address of a page in the fragment of the URL.
var pages = map[string]bool{
	"overview": true, "approvals": true, "servers": true, "browse": true, "editors": true, "tools": true, "toolsets": true, "test": true,
	"activity": true, "settings": true, "help": true,
}

// find returns the name of the file to serve for a request.
func (d *Dashboard) find(r *http.Request) (name string, ok bool) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return "", false
	}
	name = strings.TrimPrefix(r.URL.Path, "/")
	page, _, _ := strings.Cut(name, "/")
	opened := strings.Contains(r.Header.Get("Accept"), "text/html") // a browser opens the path as a page
	// The original product has a page for each server. Old links to such a page open the dashboard.
	if name == "" || page == "tester" || pages[page] && opened {
		name = "index.html"
	}
	_, ok = d.etags[name]
	return name, ok
}

// Has reports whether a request is for a file of the dashboard.
func (d *Dashboard) Has(r *http.Request) bool {
	_, ok := d.find(r)
	return ok
}

// ServeHTTP implements http.Handler.
func (d *Dashboard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, ok := d.find(r)
	if !ok {
		route.NotFound(w, r)
		return
	}
	// Read the file while sending it: a copy for each slow client would take much memory.
	file, err := d.files.Open(name)
	if err != nil {
		route.NotFound(w, r)
		return
	}
	defer func() { _ = file.Close() }()
	content, ok := file.(io.ReadSeeker)
	if !ok { // not every fs.FS has seekable files
		content = bytes.NewReader(d.read(name))
	}
	serve(w, r, content, contentTypes[path.Ext(name)], d.etags[name]())
}

// File serves the same content at any path.
type File struct {
	content           []byte
	contentType, etag string
}

// NewFile returns a file whose content type belongs to extension, such as ".json".
func NewFile(content []byte, extension string) File {
	return File{content, contentTypes[extension], etagOf(content)}
}

func etagOf(content []byte) string {
	sum := sha256.Sum256(content)
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}

// ServeHTTP implements http.Handler.
func (f File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	serve(w, r, bytes.NewReader(f.content), f.contentType, f.etag)
}

func serve(w http.ResponseWriter, r *http.Request, content io.ReadSeeker, contentType, etag string) {
	header := w.Header()
	header.Set("Content-Type", contentType)
	header.Set("Cache-Control", "no-cache")
	header.Set("Etag", etag)
	header.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "+
		"media-src 'self' data: blob:; font-src 'self'; connect-src 'self' ws://"+r.Host+
		"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	http.ServeContent(w, r, "", time.Time{}, content)
}
