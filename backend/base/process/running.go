package process

import (
	"context"
	"path"
	"runtime"
	"strings"
)

// program is what runs as a process.
type program struct {
	name string // short, as the system lists it
	path string // of its file, with slashes; "" when the system does not say
}

// Running reports whether a process of one of these names runs. A name with a
// slash is the end of a program's path, which tells apart what is named alike.
func Running(ctx context.Context, names []string) bool {
	if len(names) == 0 {
		return false
	}
	for _, p := range programs(ctx) {
		for _, name := range names {
			if p.is(name) {
				return true
			}
		}
	}
	return false
}

func (p program) is(name string) bool {
	short, file, name := p.name, p.path, strings.ReplaceAll(name, `\`, "/")
	if runtime.GOOS == "windows" {
		short, file, name = lower(short), lower(file), lower(name)
	}
	if strings.Contains(name, "/") {
		return strings.HasSuffix(file, "/"+strings.TrimPrefix(name, "/"))
	}
	return short == name || file != "" && path.Base(file) == name || runtime.GOOS == "linux" && len(name) > commLength && short == name[:commLength]
}

// commLength is how much of a name Linux keeps.
const commLength = 15

// lower makes names comparable where case and the ending mean nothing.
func lower(name string) string { return strings.TrimSuffix(strings.ToLower(name), ".exe") }
