package process

import (
	"os"
	"path/filepath"
	"runtime"
)

// Sibling finds a program of this product by its name without an ending: beside
// the running one, else on the PATH. The result is absolute, "" when there is
// none.
func Sibling(name string) string {
	own, err := os.Executable()
	if err != nil {
		return Env(os.Environ()).LookPath(name)
	}
	return siblingOf(own, name, Env(os.Environ()))
}

// siblingOf looks also where a link to the running program points to.
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
