package importer

import (
	"cmp"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// launch is what a server runs or connects to, normalized so that servers that
// do the same have equal launches.
type launch struct {
	transport string
	words     []string // program and arguments
	url       string
}

// key returns a map key. Servers that do the same in the same folder have
// equal keys.
func (l launch) key(dir string) string {
	text, _ := json.Marshal([]any{l.transport, l.words, l.url, dir}) // cannot fail: strings
	return string(text)
}

func (i *Importer) launchOf(transport, command string, args []string, address string) launch {
	transport = cmp.Or(transport, "stdio")
	if transport != "stdio" {
		return launch{transport: transport, url: sameURL(address)}
	}
	words := append([]string{command}, args...)
	if program := programOf(words[0]); program == "cmd" && len(words) > 2 && strings.EqualFold(words[1], "/c") {
		words = slices.Clone(words[2:])
	}
	words[0] = i.program(words[0])
	if words[0] == "npx" {
		for n := 1; n < len(words) && strings.HasPrefix(words[n], "-"); n++ {
			if words[n] == "--yes" {
				words[n] = "-y"
			}
		}
	}
	return launch{transport: transport, words: words}
}

func (i *Importer) launch(s table.Server) launch {
	return i.launchOf(s.Transport, s.Command, s.Args, s.URL)
}

// programOf returns the name of a program without its folder and without an
// extension such as .exe.
func programOf(command string) string {
	name := command[strings.LastIndexAny(command, `/\`)+1:]
	switch ending := strings.ToLower(filepath.Ext(name)); ending {
	case ".exe", ".cmd", ".bat":
		name = name[:len(name)-len(ending)]
	}
	return name
}

// program shortens the path of a program to its name if a search in PATH finds
// the same file.
func (i *Importer) program(command string) string {
	name := programOf(command)
	if !strings.ContainsAny(command, `/\`) {
		return name
	}
	found, ok := i.options.Machine.Command(name)
	if !ok {
		return command
	}
	one, err := i.options.Machine.Stat(found)
	two, twoErr := i.options.Machine.Stat(command)
	if err == nil && twoErr == nil && os.SameFile(one, two) {
		return name
	}
	return command
}

// sameURL returns a URL with scheme and host, which ignore case, in lower case.
func sameURL(text string) string {
	if parsed, err := url.Parse(text); err == nil && parsed.Host != "" {
		if head, rest, ok := strings.Cut(text, parsed.Host); ok {
			return strings.ToLower(head) + strings.ToLower(parsed.Host) + rest
		}
	}
	return text
}

// settings returns the variables of a local server or the headers of a remote
// one.
func settings(s table.Server) map[string]string {
	if s.Transport != "stdio" {
		return s.Headers
	}
	return s.Env
}

// within reports whether all contains each of the settings in some, with the
// same value.
func within(some, all map[string]string) bool {
	for name, value := range some {
		if other, has := all[name]; !has || other != value {
			return false
		}
	}
	return true
}
