// Package browser opens a file in the user's default browser. Credentials for a page belong in such a file and not in an
// address on a browser's command line, because every user of a machine can read the arguments of all processes.
package browser

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/program"
)

// startTimeout is how long Open waits for the started program to fail. After that time, Open assumes that the browser
// shows the file.
const startTimeout = 3 * time.Second

// Browser is a way to open a file in the default browser.
type Browser struct {
	commands [][]string // tried in order; fileName or fileURL marks where the file belongs
	// Snap is the name of the browser's snap package, which can read few folders; empty for other browsers.
	Snap string
}

// Placeholders in the commands of a Browser.
const (
	fileName = "\x00name"
	fileURL  = "\x00url"
)

// Find returns the default browser. ok is false if the machine has no display and the variable BROWSER is not set.
func Find() (b Browser, ok bool) { return find(runtime.GOOS, os.Getenv, query) }

// query returns the name of the desktop file of the default program for a MIME type, or "". On macOS it returns the
// identifier of the default browser.
func query(mime string) string {
	if runtime.GOOS == "darwin" {
		return queryMac()
	}
	cmd, err := program.Command(context.Background(), os.Environ(), "xdg-mime", "query", "default", mime)
	if err != nil {
		return ""
	}
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimSpace(string(out)), ";")
	return name
}

func find(system string, env, query func(string) string) (b Browser, ok bool) {
	switch system {
	case "windows":
		return Browser{commands: [][]string{{"rundll32", "url.dll,FileProtocolHandler", fileName}}}, true
	case "darwin":
		// Without the browser's identifier, "open" might start a text editor for an HTML file.
		if id := query("x-scheme-handler/http"); id != "" {
			b.commands = append(b.commands, []string{"open", "-b", id, fileName})
		}
		b.commands = append(b.commands, []string{"open", fileName})
		return b, true
	}
	for choice := range strings.SplitSeq(env("BROWSER"), ":") {
		if words := strings.Fields(choice); len(words) > 0 {
			b.add(words, "%s")
		}
	}
	if len(b.commands) > 0 {
		return b, true
	}
	if env("DISPLAY") == "" && env("WAYLAND_DISPLAY") == "" {
		return Browser{}, false
	}
	web := query("x-scheme-handler/http")
	entry := readEntry(env, web)
	// xdg-open would open an HTML file with the default program for HTML, which may be a text editor.
	if len(entry.command) > 0 && (entry.snap != "" || web != query("text/html")) {
		b.Snap = entry.snap
		b.add(entry.command, "%u", "%U", "%f", "%F")
	}
	b.commands = append(b.commands, []string{"xdg-open", fileName})
	return b, true
}

// add appends a command that consists of words, in which the placeholder fileURL replaces each occurrence of one of the
// codes. If no code occurs in words, fileURL becomes the last argument.
func (b *Browser) add(words []string, codes ...string) {
	command, placed := slices.Clone(words), false
	for i, word := range command {
		for _, code := range codes {
			command[i] = strings.ReplaceAll(command[i], code, fileURL)
		}
		placed = placed || command[i] != word
	}
	if !placed {
		command = append(command, fileURL)
	}
	b.commands = append(b.commands, command)
}

// Open opens a file, and reports whether a browser or the system's opener accepted it.
func (b Browser) Open(file string) bool {
	return slices.ContainsFunc(b.commands, func(command []string) bool { return start(arguments(command, file)) })
}

// arguments returns a command in which file replaces the placeholders.
func arguments(command []string, file string) []string {
	address := (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()
	places := strings.NewReplacer(fileName, file, fileURL, address)
	argv := make([]string, len(command))
	for i, word := range command {
		argv[i] = places.Replace(word)
	}
	return argv
}

func start(argv []string) bool {
	cmd, err := program.Command(context.Background(), os.Environ(), argv[0], argv[1:]...)
	if err != nil {
		return false
	}
	process.DetachInJob(cmd) // the browser outlives the terminal
	if cmd.Start() != nil {
		return false
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // ends with the program, or with this process
	select {
	case err := <-ended:
		return err == nil
	case <-time.After(startTimeout):
		return true
	}
}
