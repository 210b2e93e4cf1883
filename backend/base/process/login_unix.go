//go:build unix

package process

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
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
	return env.With("PATH", joinPath(env.Get("PATH"), os.Getenv("PATH"))), err
}

// askShell runs the login shell with flags and returns its environment.
func askShell(ctx context.Context, flags string) (Env, error) {
	ctx, cancel := context.WithTimeout(ctx, loginTimeout)
	defer cancel()
	shell := os.Getenv("SHELL")
	if shell == "" {
		shell = "/bin/sh"
	}
	cmd := exec.CommandContext(ctx, shell, flags, "echo "+loginMark+"; env -0 2>/dev/null || env")
	cmd.Env = Clean().With("TERM", "dumb")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without a terminal, start-up files cannot ask questions
	// These are the signals of a terminal that closes, so that programs of
	// start-up files can remove their locks. An interactive shell reacts only to
	// SIGHUP, and a shell below nohup only to SIGTERM. Kill ends the rest.
	cmd.Cancel = func() error {
		return errors.Join(syscall.Kill(-cmd.Process.Pid, syscall.SIGHUP), syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM))
	}
	cmd.WaitDelay = 3 * time.Second
	out, err := cmd.Output()
	if ctx.Err() != nil && cmd.Process != nil {
		Kill(cmd.Process.Pid)
	}
	if err != nil {
		return nil, err
	}
	_, out, _ = bytes.Cut(out, []byte(loginMark+"\n"))
	return parseEnv(out), nil
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

func joinPath(lists ...string) string {
	seen := make(map[string]bool)
	var dirs []string
	for _, list := range lists {
		for _, dir := range filepath.SplitList(list) {
			if dir != "" && !seen[dir] {
				seen[dir] = true
				dirs = append(dirs, dir)
			}
		}
	}
	return strings.Join(dirs, string(filepath.ListSeparator))
}

func defaultPath() string {
	path := "/usr/local/bin:/usr/bin:/bin"
	if os.Geteuid() == 0 {
		path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	}
	if _, err := os.Stat("/opt/homebrew/bin"); err == nil {
		path = "/opt/homebrew/bin:" + path
	}
	return path
}
