//go:build unix

package process

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Login returns the environment that the user's login shell sets up. Its PATH
// often contains npx and uvx when the PATH of a desktop or an editor does not. If
// the shell does not report its environment, Login returns what its start-up files
// had set until they failed, or the environment of Clean, and a LoginError.
//
// The folders of this process's own PATH are added at the end, because the hub may
// have been started from a shell with a more complete PATH.
func Login(ctx context.Context) (Env, error) {
	shell := shellOf(runtime.GOOS, os.Getenv("SHELL"))
	env, err := ask(ctx, question{limit: loginTimeout, shell: shell, args: []string{"-ilc", report}})
	if err != nil && ctx.Err() == nil {
		if again, failed := ask(ctx, question{limit: secondTimeout, shell: shell, args: []string{"-lc", report}}); failed == nil {
			env, err = again, nil
		}
	}
	if err != nil {
		problem := LoginError{Shell: filepath.Base(shell), Why: err.Error()}
		if env, err = ask(ctx, rescue(shell)); err == nil {
			problem.Partial = true
		} else {
			env = Clean()
		}
		err = problem
	}
	env = env.preferring(Clean()).Without(func(name string) bool {
		switch name {
		case "_", "SHLVL", "PWD", "OLDPWD", "TERM":
			return true
		}
		return OwnVariable(name)
	})
	env = withCharset(runtime.GOOS, env)
	return env.With("PATH", joinPath(env.Get("PATH"), os.Getenv("PATH"))), err
}

// withCharset returns env. On macOS, it adds UTF-8 as the charset if no start-up file
// has set a locale, because without a locale, programs that the system starts decode
// text as ASCII. Only the terminal program of macOS sets a locale.
func withCharset(system string, env Env) Env {
	if system != "darwin" || env.Get("LC_ALL") != "" || env.Get("LC_CTYPE") != "" || env.Get("LANG") != "" {
		return env
	}
	return env.With("LC_CTYPE", "UTF-8")
}

// shellOf returns the named login shell, or a default if named is empty. On macOS
// the default is the shell of new users, whose start-up files add the folders of
// Homebrew to PATH.
func shellOf(system, named string) string {
	switch {
	case named != "":
		return named
	case system == "darwin":
		return "/bin/zsh"
	}
	return "/bin/sh"
}

func parseEnv(out []byte) Env {
	end := "\n"
	if bytes.IndexByte(out, 0) >= 0 {
		end = "\x00"
	}
	var env Env
	for _, kv := range strings.Split(string(out), end) {
		if k, _, ok := strings.Cut(kv, "="); ok && k != "" {
			env = append(env, kv)
		}
	}
	return env
}

// sessionEnvironment returns nil: on Unix the system does not provide the environment of a session.
func sessionEnvironment() Env { return nil }

// mayContain returns true: on Unix a program has one file name, which firstExecutable
// looks up.
func mayContain(string, string) bool { return true }

func defaultPath() string {
	return systemPath(runtime.GOOS, os.Geteuid() == 0, func(dir string) bool {
		_, err := os.Stat(dir)
		return err == nil
	})
}

// systemPath returns the default PATH of an operating system. On macOS it is the PATH
// of /etc/paths with the folders of Homebrew and MacPorts, if they exist.
func systemPath(system string, root bool, exists func(dir string) bool) string {
	dirs := []string{"/usr/local/bin", "/usr/bin", "/bin"}
	switch {
	case system == "darwin":
		dirs = append(dirs, "/usr/sbin", "/sbin")
	case root:
		dirs = []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}
	}
	for _, dir := range []string{"/opt/local/bin", "/opt/homebrew/sbin", "/opt/homebrew/bin"} {
		if system == "darwin" && exists(dir) {
			dirs = slices.Insert(dirs, 0, dir)
		}
	}
	return strings.Join(dirs, ":")
}
