package process

import (
	"context"
	"path"
	"runtime"
	"strings"
)

// program is the executable of a running process.
type program struct {
	name string // as the system lists it, possibly shortened
	path string // path of its file, with slashes; "" if unknown
}

// Running reports whether a process with one of these names runs. A name with a
// slash is compared with the end of the program's path, which distinguishes
// programs of the same name.
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
	return short == name && name != "" || file != "" && path.Base(file) == name ||
		runtime.GOOS == "linux" && len(name) > commLength && short == name[:commLength]
}

// commLength is the length to which Linux shortens names.
const commLength = 15

// lower returns a Windows name in lower case and without .exe, for comparison.
func lower(name string) string { return strings.TrimSuffix(strings.ToLower(name), ".exe") }
