package importer

import (
	"cmp"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/pathname"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// destination is the command or URL of a server, normalized so that servers that run the same
// program with the same arguments, or connect to the same URL, have equal destinations.
type destination struct {
	transport string
	words     []string // program and arguments
	url       string
}

func (i *Importer) destinationOf(transport, command string, args []string, address string) destination {
	transport = cmp.Or(transport, "stdio")
	if transport != "stdio" {
		return destination{transport: transport, url: sameURL(address)}
	}
	words := append([]string{command}, args...)
	if program := programOf(words[0]); program == "cmd" && len(words) > 2 && strings.EqualFold(words[1], "/c") {
		words = slices.Clone(words[2:])
	}
	words[0] = i.program(words[0])
	return destination{transport: transport, words: runnerWords(words)}
}

// runners maps the short form of a command that runs a package to its long forms.
var runners = map[string][]string{"npx": {"npm exec", "npm x"}, "bunx": {"bun x"}, "pnpx": {"pnpm dlx"}, "uvx": {"uv tool run"}}

// runnerWords normalizes a command that downloads a package and runs it: it uses the short form,
// without options that only confirm the download or make it quiet.
func runnerWords(words []string) []string {
	for short, long := range runners {
		for _, line := range long {
			parts := strings.Fields(line)
			if len(words) > len(parts) && slices.Equal(words[:len(parts)], parts) {
				words = append([]string{short}, words[len(parts):]...)
			}
		}
	}
	if words[0] != "npx" && words[0] != "bunx" && words[0] != "pnpx" {
		return words
	}
	n := 1
	for ; n < len(words) && (words[n] == "-y" || words[n] == "--yes" || words[n] == "-q" || words[n] == "--quiet" ||
		words[n] == "--"); n++ {
	}
	return append([]string{words[0]}, words[n:]...)
}

func (i *Importer) destination(s table.Server) destination {
	return i.destinationOf(s.Transport, s.Command, s.Args, s.URL)
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
// the same file. On Windows a path may lack its extension.
func (i *Importer) program(command string) string {
	name := programOf(command)
	if !strings.ContainsAny(command, `/\`) {
		return name
	}
	found, ok := i.options.Machine.Command(name)
	file, exists := i.options.Machine.Command(command)
	if ok && exists && pathname.Same(found, file) {
		return name
	}
	return command
}

// sameURL returns a URL with its scheme and host in lower case, because these ignore case.
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

// within reports whether each of the settings in some is in all, too, with the same value.
func within(some, all map[string]string) bool {
	for name, value := range some {
		if other, has := all[name]; !has || other != value {
			return false
		}
	}
	return true
}
