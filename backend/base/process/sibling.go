package process

import (
	"debug/buildinfo"
	"os"
	"path/filepath"
	"runtime"
)

// Sibling finds another program of this product by its name without extension:
// beside the running program, otherwise in the PATH. It returns an absolute path,
// "" if the program does not exist.
func Sibling(name string) string {
	own, err := os.Executable()
	if err != nil {
		return Env(os.Environ()).LookPath(name)
	}
	return siblingOf(own, name, Env(os.Environ()))
}

// siblingOf is Sibling for a running program at the path own. If own is a symbolic
// link, siblingOf also searches the folder of the link's target.
func siblingOf(own, name string, env Env) string {
	file := name
	if runtime.GOOS == "windows" {
		file += ".exe"
	}
	places := []string{own}
	if real, err := filepath.EvalSymlinks(own); err == nil {
		places = append(places, real)
	}
	for _, place := range places {
		if found := firstExecutable(filepath.Dir(place), []string{file}); found != "" {
			return found
		}
	}
	return env.LookPath(name)
}

// mainPackage is the path of the main package of the command line.
const mainPackage = "github.com/agent-discover/agent-discover/backend/cmd/agent-discover"

// IsOurs reports whether a file is the command line of this product, in any version, by what the compiler has written
// into it.
func IsOurs(file string) bool {
	info, err := buildinfo.ReadFile(file)
	return err == nil && info.Path == mainPackage
}
