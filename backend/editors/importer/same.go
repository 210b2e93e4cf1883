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

// launch is what a server runs or connects to, in one spelling for all that do
// the same.
type launch struct {
	transport string
	words     []string // the program and its arguments
	url       string
}

// key is the same for servers that do the same in the same folder.
func (l launch) key(dir string) string {
	text, _ := json.Marshal([]any{l.transport, l.words, l.url, dir}) // strings
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

// programOf is the name of a program without its folder and what Windows puts
// behind it.
func programOf(command string) string {
	name := command[strings.LastIndexAny(command, `/\`)+1:]
	switch ending := strings.ToLower(filepath.Ext(name)); ending {
	case ".exe", ".cmd", ".bat":
		name = name[:len(name)-len(ending)]
	}
	return name
}

// program is a program by its name alone where a whole path leads to the very
// file that the name does.
func (i *Importer) program(command string) string {
	name := programOf(command)
	if !strings.ContainsAny(command, `/\`) {
		return name
	}
	found, ok := i.Machine.Command(name)
	if !ok {
		return command
	}
	one, err := i.Machine.Stat(found)
	other, otherErr := i.Machine.Stat(command)
	if err == nil && otherErr == nil && os.SameFile(one, other) {
		return name
	}
	return command
}

// sameURL writes scheme and host, which mean the same in any case, in small
// letters.
func sameURL(text string) string {
	if parsed, err := url.Parse(text); err == nil && parsed.Host != "" {
		if head, rest, ok := strings.Cut(text, parsed.Host); ok {
			return strings.ToLower(head) + strings.ToLower(parsed.Host) + rest
		}
	}
	return text
}

// settings are the variables or headers of a server.
func settings(s table.Server) map[string]string {
	if s.Transport != "stdio" {
		return s.Headers
	}
	return s.Env
}

// within reports whether all of some settings are among others.
func within(some, all map[string]string) bool {
	for name, value := range some {
		if other, has := all[name]; !has || other != value {
			return false
		}
	}
	return true
}
