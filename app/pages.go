package app

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"io/fs"
	"net/http"
	"strings"
)

// policy lets the page run and look like nothing but what is embedded here, and talk to nobody but the hub, whose port
// is another one after a restart.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src data: blob:; " +
	"font-src 'self'; connect-src 'self' http://127.0.0.1:* ws://127.0.0.1:*; base-uri 'none'; form-action 'none'; frame-src 'none'"

// helper is what every page of the window runs first.
//
//go:embed window.js
var helper []byte

// helperPath is where the page finds it.
const helperPath = "/window.js"

// pages hands the embedded files to the web view. The dashboard's addresses (/servers) are paths at which there is no
// file: each is its index.html.
type pages struct {
	files fs.FS
	start start
}

// start is what the helper is told.
type start struct {
	Page  string `json:"page"`  // to begin with
	Await string `json:"await"` // a text whose appearance is to be told, for tests
}

// wrap is a Wails middleware.
func (p pages) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cache-Control", "no-store")
		switch path := r.URL.Path; {
		case path == helperPath:
			header.Set("Content-Type", "text/javascript; charset=utf-8")
			_, _ = w.Write(p.script()) // nobody to tell
		case p.isPage(path):
			header.Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(p.index(path)) // nobody to tell
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isPage reports whether a path is one of the dashboard's rather than of a file.
func (p pages) isPage(path string) bool {
	name := strings.Trim(path, "/")
	if name == "" || name == "index.html" {
		return true
	}
	if strings.HasPrefix(name, "assets/") || strings.HasPrefix(name, "wails/") {
		return false
	}
	_, err := fs.Stat(p.files, name)
	return err != nil
}

// index returns the page with the scripts that the window adds. Wails adds its own where the path ends as that of a
// folder does.
func (p pages) index(path string) []byte {
	page, _ := fs.ReadFile(p.files, "index.html") // part of this program
	added := `<script src="` + helperPath + `"></script>`
	if !strings.HasSuffix(path, "/") && !strings.HasSuffix(path, "/index.html") {
		added = `<script src="/wails/ipc.js"></script><script src="/wails/runtime.js"></script>` + added
	}
	return bytes.Replace(page, []byte("<head>"), []byte("<head>"+added), 1)
}

func (p pages) script() []byte {
	data, _ := json.Marshal(p.start) // strings only
	return append([]byte("const start = "+string(data)+";\n"), helper...)
}
