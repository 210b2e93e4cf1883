package app

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"io/fs"
	"net/http"
)

// policy lets the page run and look like nothing but what is embedded here, and talk to nobody but the hub, whose port
// is another one after a restart.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' data: blob:; " +
	"font-src 'self'; connect-src 'self' http://127.0.0.1:* ws://127.0.0.1:*; base-uri 'none'; form-action 'none'; frame-src 'none'"

// helper is what every page of the window runs first.
//
//go:embed window.js
var helper []byte

const (
	helperPath = "/window.js"    // where the page finds it
	shownPath  = "/window/shown" // where the helper says that the text which it awaits has been painted
)

// pages hands the embedded files to the web view.
type pages struct {
	files fs.FS
	start start
	shown func() // the page shows what start awaits
}

// start is what the helper is told.
type start struct {
	Page  string `json:"page"`  // to begin with
	Await string `json:"await"` // a text whose appearance is to be told, for those who measure
}

// wrap is a Wails middleware. Wails adds its own scripts to what it returns for /.
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
			_, _ = w.Write(p.script()) // nobody to tell
		case shownPath:
			p.shown()
			w.WriteHeader(http.StatusNoContent)
		case "/", "/index.html":
			header.Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(p.index()) // nobody to tell
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// index returns the page with the helper before all scripts of its own.
func (p pages) index() []byte {
	page, _ := fs.ReadFile(p.files, "index.html") // part of this program
	return bytes.Replace(page, []byte("<head>"), []byte(`<head><script src="`+helperPath+`"></script>`), 1)
}

func (p pages) script() []byte {
	data, _ := json.Marshal(p.start) // strings only
	return append([]byte("const start = "+string(data)+";\n"), helper...)
}
