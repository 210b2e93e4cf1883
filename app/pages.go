package app

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
)

// policy restricts the page to embedded scripts and styles and to connections to loopback. It allows all ports,
// because the hub's port may change with a restart.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' data: blob:; " +
	"font-src 'self'; connect-src 'self' http://127.0.0.1:* ws://127.0.0.1:*; base-uri 'none'; form-action 'none'; frame-src 'none'"

// helper is the script that runs before the scripts of the page.
//
//go:embed window.js
var helper []byte

const (
	helperPath = "/window.js"    // path of helper
	shownPath  = "/window/shown" // requested by helper when the awaited text has been painted
)

// pages serves the embedded files to the web view.
type pages struct {
	files fs.FS
	start start
	shown func() // called when the page shows start.Await
}

// start holds the parameters of window.js.
type start struct {
	Page  string `json:"page"`  // first page
	Await string `json:"await"` // window.js reports when the page first shows this text; for benchmarks
}

// wrap is a Wails middleware that adds security headers and helper. Wails adds its own scripts to the response for /.
func (p pages) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cache-Control", "no-store")
		switch r.URL.Path {
		case helperPath:
			header.Set("Content-Type", "text/javascript; charset=utf-8")
			data, _ := json.Marshal(p.start) // encoding strings cannot fail
			_, _ = fmt.Fprintf(w, "const start = %s;\n%s", data, helper)
		case shownPath:
			p.shown()
			w.WriteHeader(http.StatusNoContent)
		case "/", "/index.html":
			header.Set("Content-Type", "text/html; charset=utf-8")
			page, _ := fs.ReadFile(p.files, "index.html") // index.html is embedded, so reading cannot fail
			_, _ = w.Write(bytes.Replace(page, []byte("<head>"), []byte(`<head><script src="`+helperPath+`"></script>`), 1))
		default:
			next.ServeHTTP(w, r)
		}
	})
}
