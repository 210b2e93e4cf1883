//go:build linux

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// homes returns two machines whose hubs run.
func homes(t *testing.T) (a, b *programtest.Home) {
	t.Helper()
	a, b = programtest.NewHome(t), programtest.NewHome(t)
	for _, h := range []*programtest.Home{a, b} {
		h.Write(filepath.Join(h.Dir, ".gitconfig"), "[user]\n\tname = A Person\n\temail = person@example.com\n")
		h.Serve()
	}
	return a, b
}

const change = "Change this machine like this? [y/N] "

func TestTwoMachinesAreKeptTheSameThroughAFolder(t *testing.T) {
	t.Parallel()
	a, b := homes(t)
	shared := filepath.Join(t.TempDir(), "shared")
	for _, h := range []*programtest.Home{a, b} {
		h.Must("sync", "init", shared)
	}
	a.Must("servers", "add", "notes", "--no-start", "--tag", "mine", "--", "true", "--fast")
	programtest.Contains(t, a.Must("sync"), "server notes added to the folder")
	programtest.Contains(t, b.Must("sync"), "server notes waits for you to be added here")

	// The command of the server is shown before, and nothing happens if the person declines.
	term := newTerminal(t)
	cmd := b.Command("sync")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	term.run(cmd)
	term.confirm(change, 1, "n")
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 4 {
		t.Errorf("declining: exit %d\n%s", cmd.ProcessState.ExitCode(), term.screen)
	}
	term.awaitText("nothing was synchronized")
	term.shows("server notes would be added here", `tags: ["mine"]`, "argument 1", "--fast")
	if list := b.Must("servers", "list"); strings.Contains(list, "notes") {
		t.Errorf("the server was added: %s", list)
	}
	typed(t, b, []string{"sync"}, [2]string{change, "y"}).awaitText("server notes added here")
	if list := b.Must("servers", "list"); !strings.Contains(list, "notes") || strings.Contains(list, "waiting") {
		t.Errorf("the servers are %s", list)
	}
	programtest.Contains(t, b.Must("sync"), "are the same")

	// Different values of both machines are combined; the same value is a conflict.
	a.Must("servers", "edit", "notes", "--description", "of a")
	b.Must("servers", "edit", "notes", "--tag", "of-b")
	a.Must("sync")
	typed(t, b, []string{"sync"}, [2]string{change, "y"}).awaitText("server notes changed here and in the folder")
	typed(t, a, []string{"sync"}, [2]string{change, "y"})
	a.Must("servers", "edit", "notes", "--description", "again of a")
	b.Must("servers", "edit", "notes", "--description", "of b")
	a.Must("sync")
	out := b.Run("sync")
	programtest.Contains(t, out.Stdout, "server notes has changed on both sides", "here:   of b", "folder: again of a", "sync --theirs notes")
	if out.Code != 3 {
		t.Errorf("a conflict: exit %d", out.Code)
	}
	typed(t, b, []string{"sync", "--theirs", "notes"}, [2]string{change, "y"})
	programtest.Contains(t, b.Must("servers", "show", "notes", "--json"), "again of a")

	// A removed server is removed on the other machine after a question.
	a.Must("servers", "remove", "notes", "--yes")
	a.Must("sync")
	typed(t, b, []string{"sync"}, [2]string{change, "y"}).awaitText("server notes removed here with its secrets")
	b.Must("sync", "stop")
	if out := b.Run("sync", "status"); out.Code != 2 {
		t.Errorf("after sync stop: %+v", out)
	}
}

func TestASynchronizationSurvivesTheEndOfTheHub(t *testing.T) {
	t.Parallel()
	a, _ := homes(t)
	shared := filepath.Join(t.TempDir(), "shared")
	a.Must("sync", "init", shared)
	for _, name := range []string{"one", "two", "three"} {
		a.Must("servers", "add", name, "--no-start", "--", "true")
	}
	running := a.Command("sync")
	if err := running.Start(); err != nil {
		t.Fatal(err)
	}
	programtest.Signal(t, a.RunningHub().PID, syscall.SIGKILL)
	_ = running.Wait() // it may have succeeded, or not
	a.Must("sync")
	programtest.Contains(t, a.Must("sync"), "are the same")
	for _, name := range []string{"one", "two", "three"} {
		if _, err := os.Stat(filepath.Join(shared, "servers", name+".json")); err != nil {
			t.Error(err)
		}
	}
}

func TestTwoMachinesAreKeptTheSameThroughGit(t *testing.T) {
	t.Parallel()
	a, b := homes(t)
	bare := filepath.Join(t.TempDir(), "bare.git")
	git := func(h *programtest.Home, args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Env, cmd.Dir = h.Env, h.Dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git(a, "init", "--quiet", "--bare", bare)
	git(a, "clone", "--quiet", bare, "shared")
	a.Must("servers", "add", "one", "--no-start", "--", "true")
	a.Must("sync", "init", "shared")
	a.Must("sync", "--git")
	git(b, "clone", "--quiet", bare, "shared")
	b.Must("sync", "init", "shared")
	typed(t, b, []string{"sync", "--git"}, [2]string{change, "y"}).awaitText("server one added here")

	// Another machine pushes between the pull and the push of b.
	b.Must("servers", "add", "of-b", "--no-start", "--", "true")
	other := filepath.Join(b.Dir, "other")
	git(b, "clone", "--quiet", bare, "other")
	b.Write(filepath.Join(b.Dir, "log.json"), `{"setting": "log.retention_days", "value": 5}`)
	hook := filepath.Join(b.Dir, "shared", ".git", "hooks", "pre-push")
	b.Write(hook, "#!/bin/sh\nset -e\nrm \"$0\"\nunset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX\nmkdir "+other+"/settings\n"+
		"cp "+b.Dir+"/log.json "+other+"/settings/log.retention_days.json\ngit -C "+other+" add -A\ngit -C "+other+
		" commit -q -m other\ngit -C "+other+" push -q\n")
	if err := os.Chmod(hook, 0o700); err != nil {
		t.Fatal(err)
	}
	term := typed(t, b, []string{"sync", "--git"}, [2]string{change, "y"})
	term.awaitText("server of-b added to the folder")
	term.awaitText("setting log.retention_days added here")
	term = typed(t, a, []string{"sync", "--git"}, [2]string{change, "y"})
	term.awaitText("server of-b added here")
	term.awaitText("setting log.retention_days added here")
	for _, h := range []*programtest.Home{a, b} {
		programtest.Contains(t, h.Must("sync", "--git"), "are the same")
		out := h.Run("sync", "--git", "--theirs", "one")
		if out.Code != 2 {
			t.Errorf("no conflict: %+v", out)
		}
	}
	plain := t.TempDir()
	a.Must("sync", "init", plain)
	if out := a.Run("sync", "--git"); out.Code != 1 || !strings.Contains(out.Stderr, "is not in a git repository") {
		t.Errorf("without a repository: %+v", out)
	}
}
