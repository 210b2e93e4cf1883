//go:build unix

package process

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	loginMark    = "--agent-discover-environment--"
	loginTimeout = 10 * time.Second
)

// Login returns the environment that the user's login shell sets up. Its PATH
// often contains npx and uvx when the PATH of a desktop or an editor does not. If
// the shell fails or takes longer than loginTimeout, Login returns the environment
// of Clean and the error.
//
// The folders of this process's own PATH are added at the end, because the hub may
// have been started from a shell with a more complete PATH.
func Login(ctx context.Context) (Env, error) {
	env, err := askShell(ctx, "-ilc")
	if err != nil {
		env, err = askShell(ctx, "-lc")
	}
	if err != nil {
		env = Clean()
	}
	env = env.Without(func(name string) bool {
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

// hangupGrace is how long a login shell and its programs may take to end after SIGHUP, before they get SIGTERM.
const hangupGrace = 500 * time.Millisecond

// askShell runs the login shell with flags and returns its environment.
func askShell(ctx context.Context, flags string) (Env, error) {
	ctx, cancel := context.WithTimeout(ctx, loginTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, shellOf(runtime.GOOS, os.Getenv("SHELL")), flags, "echo "+loginMark+"; env -0 2>/dev/null || env")
	cmd.Env = Clean().With("TERM", "dumb")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without a terminal, start-up files cannot ask questions
	// Send the signals of a closing terminal, so that programs of start-up files
	// can remove their locks. An interactive shell reacts only to SIGHUP, and a
	// shell under nohup only to SIGTERM. SIGTERM is sent later, because it would
	// also end the commands that clean up after SIGHUP. Kill ends the rest.
	var term *time.Timer
	cmd.Cancel = func() error {
		term = time.AfterFunc(hangupGrace, func() { Terminate(cmd.Process.Pid) })
		return syscall.Kill(-cmd.Process.Pid, syscall.SIGHUP)
	}
	cmd.WaitDelay = 3 * time.Second
	out, err := cmd.Output()
	if term != nil {
		term.Stop()
	}
	if ctx.Err() != nil && cmd.Process != nil {
		Kill(cmd.Process.Pid)
	}
	if err != nil {
		return nil, err
	}
	_, out, _ = bytes.Cut(out, []byte(loginMark+"\n"))
	return parseEnv(out), nil
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
