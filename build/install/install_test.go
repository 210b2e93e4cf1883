//go:build unix

// Package install tests build/install.sh, which make install and make uninstall
// call.
package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestMain(m *testing.M) { os.Exit(programtest.Main(m)) }

// machine has a home folder, a folder bin with the built programs, and an installation prefix with a space in its
// path.
type machine struct {
	t                 *testing.T
	home, bin, prefix string
}

func newMachine(t *testing.T) machine {
	t.Helper()
	m := machine{t: t, home: t.TempDir(), bin: t.TempDir()}
	m.prefix = filepath.Join(m.home, "my programs")
	m.copyProgram("agent-discover")
	for _, name := range []string{"agent-discover-desktop", "agent-discover-tray"} {
		m.write(filepath.Join(m.bin, name), "#!/bin/sh\n", 0o755)
	}
	return m
}

func (m machine) copyProgram(name string) {
	m.t.Helper()
	data, err := os.ReadFile(programtest.Current(m.t))
	if err != nil {
		m.t.Fatal(err)
	}
	m.write(filepath.Join(m.bin, name), string(data), 0o755)
}

func (m machine) write(path, text string, mode os.FileMode) {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		m.t.Fatal(err)
	}
}

func (m machine) environment() []string {
	return []string{
		"HOME=" + m.home, "PATH=" + os.Getenv("PATH"), "PREFIX=" + m.prefix, "BIN=" + m.bin,
		"AGENT_DISCOVER_HOME=" + filepath.Join(m.home, "data"), "AGENT_DISCOVER_PORT=0", "AGENT_DISCOVER_KEYCHAIN=off",
	}
}

// try runs the script and returns its output and whether it succeeded.
func (m machine) try(action string, env ...string) (string, bool) {
	m.t.Helper()
	cmd := exec.Command("../install.sh", action)
	cmd.Env = append(m.environment(), env...)
	output, err := cmd.CombinedOutput()
	return string(output), err == nil
}

func (m machine) must(action string, env ...string) string {
	m.t.Helper()
	output, ok := m.try(action, env...)
	if !ok {
		m.t.Fatalf("install.sh %s failed:\n%s", action, output)
	}
	return output
}

// run runs the installed program.
func (m machine) run(args ...string) {
	m.t.Helper()
	cmd := exec.Command(filepath.Join(m.prefix, "bin", "agent-discover"), args...)
	cmd.Env = m.environment()
	if output, err := cmd.CombinedOutput(); err != nil {
		m.t.Fatalf("%v: %v\n%s", args, err, output)
	}
}

// files returns the paths of all files below a folder, relative to it.
func files(t *testing.T, folder string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		relative, err := filepath.Rel(folder, path)
		out = append(out, relative)
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return out
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestInstalledProgramsRunAndHaveCompletionsManualAndMenuEntry(t *testing.T) {
	m := newMachine(t)
	m.must("install")
	program := filepath.Join(m.prefix, "bin", "agent-discover")
	if output, err := exec.Command(program, "version").CombinedOutput(); err != nil {
		t.Errorf("the installed program does not run: %v\n%s", err, output)
	}
	completion := filepath.Join(m.prefix, "share", "bash-completion", "completions", "agent-discover")
	if output, err := exec.Command("bash", "-c", `. "$1" && complete -p agent-discover`, "bash", completion).CombinedOutput(); err != nil {
		t.Errorf("bash cannot load the completion: %v\n%s", err, output)
	}
	programtest.Contains(t, read(t, filepath.Join(m.prefix, "share", "man", "man1", "agent-discover-servers-add.1")), ".TH")
	if runtime.GOOS != "linux" {
		return
	}
	entry := read(t, filepath.Join(m.prefix, "share", "applications", "agent-discover-desktop.desktop"))
	programtest.Contains(t, entry,
		`Exec="`+m.prefix+`/bin/agent-discover-desktop" --link %u`+"\n", "TryExec="+m.prefix+"/bin/agent-discover-desktop\n",
		"Icon=agent-discover\n")
	if !slices.ContainsFunc(files(t, m.prefix), func(name string) bool {
		return strings.HasPrefix(name, "share/icons/hicolor/") && strings.HasSuffix(name, "/agent-discover.png")
	}) {
		t.Error("no icon was installed")
	}
}

func TestUninstallRemovesWhatInstallCopiedAndNothingElse(t *testing.T) {
	m := newMachine(t)
	foreign := []string{"bin/another", "share/applications/another.desktop", "share/icons/hicolor/index.theme"}
	for _, name := range foreign {
		m.write(filepath.Join(m.prefix, name), "of another program", 0o644)
	}
	login := filepath.Join(m.home, ".config", "autostart", "agent-discover-tray.desktop")
	m.write(login, "[Desktop Entry]\nExec=\""+m.prefix+"/bin/agent-discover-tray\" --login\n", 0o644)
	m.must("install")
	data := filepath.Join(m.home, "data")
	output := m.must("uninstall")
	if _, err := os.Stat(data); !os.IsNotExist(err) || strings.Contains(output, data) {
		t.Errorf("a data folder was made where none was; uninstall answered:\n%s", output)
	}
	slices.Sort(foreign)
	if left := files(t, m.prefix); !slices.Equal(left, foreign) {
		t.Errorf("left are %q, want %q", left, foreign)
	}
	if _, err := os.Stat(login); !os.IsNotExist(err) {
		t.Error("the tray is still started at login")
	}
	if output, ok := m.try("uninstall"); ok || !strings.Contains(output, "nothing is installed in") {
		t.Errorf("a second uninstall answered:\n%s", output)
	}
}

func TestUninstallWithoutATerminalDoesNotLeaveDeadEntries(t *testing.T) {
	for _, stopped := range []bool{false, true} {
		t.Run(map[bool]string{false: "hub runs", true: "hub was stopped"}[stopped], func(t *testing.T) {
			m := newMachine(t)
			m.must("install")
			cursor := filepath.Join(m.home, ".cursor", "mcp.json")
			m.write(cursor, `{"mcpServers": {}}`, 0o644)
			m.run("editors", "register", "cursor", "--yes")
			if stopped {
				m.run("stop")
			}
			output, ok := m.try("uninstall")
			if ok || !strings.Contains(output, "editors have the entry; nothing was removed. Remove it too with UNREGISTER=yes") ||
				len(files(t, m.prefix)) == 0 {
				t.Errorf("uninstall answered:\n%s", output)
			}
			request := filepath.Join(m.home, "data", "run", "stopped")
			if _, err := os.Stat(request); stopped != (err == nil) {
				t.Errorf("uninstall removed nothing, but whether the hub stays stopped changed: %v", err)
			}
			m.write(filepath.Join(m.prefix, "share/icons/hicolor/icon-theme.cache"), "", 0o644)
			programtest.Contains(t, m.must("uninstall", "UNREGISTER=yes"), "purge")
			if left := files(t, m.prefix); len(left) > 0 || strings.Contains(read(t, cursor), "agent-discover") {
				t.Errorf("left are %q and %s", left, read(t, cursor))
			}
			for _, name := range []string{"hub.json", "stopped"} {
				if _, err := os.Stat(filepath.Join(m.home, "data", "run", name)); !os.IsNotExist(err) {
					t.Errorf("after the uninstallation, run/%s exists: %v", name, err)
				}
			}
		})
	}
}

func TestUninstallSaysWhyTheEntriesOfEditorsAreUnknown(t *testing.T) {
	m := newMachine(t)
	m.must("install")
	m.write(filepath.Join(m.home, "data", "discover.db"), strings.Repeat("no database ", 400), 0o600)
	output, ok := m.try("uninstall")
	if ok || strings.Contains(output, "{") || len(files(t, m.prefix)) == 0 {
		t.Errorf("uninstall answered:\n%s", output)
	}
	programtest.Contains(t, output, "agent-discover: ", "could not find out which editors have the entry", "UNREGISTER=no")
	programtest.Contains(t, m.must("uninstall", "UNREGISTER=no"), "Removed Agent Discover")
}

func TestUpdateReplacesARunningProgramAndRemovesOldFiles(t *testing.T) {
	m := newMachine(t)
	m.must("install")
	old := "share/agent-discover/old-file"
	m.write(filepath.Join(m.prefix, old), "of an earlier version", 0o644)
	list := filepath.Join(m.prefix, "share", "agent-discover", "installed")
	m.write(list, read(t, list)+old+"\n", 0o644)

	running := exec.Command(filepath.Join(m.prefix, "bin", "agent-discover"), "mcp")
	running.Env = []string{"HOME=" + m.home, "AGENT_DISCOVER_HOME=" + filepath.Join(m.home, "data"), "AGENT_DISCOVER_PORT=0"}
	input, err := running.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := running.Start(); err != nil {
		t.Fatal(err)
	}
	m.must("install")
	_ = input.Close() // ends the companion
	if err := running.Wait(); err != nil {
		t.Errorf("the running program failed: %v", err)
	}
	if slices.Contains(files(t, m.prefix), old) {
		t.Error("a file that only the earlier version had is still installed")
	}
	data := filepath.Join(m.home, "data")
	if _, err := os.Stat(filepath.Join(data, "run", "hub.json")); err != nil {
		t.Errorf("the companion has started no hub: %v", err)
	}
	programtest.Contains(t, m.must("uninstall"), "Your servers and settings stay in "+data)
	for _, name := range []string{"hub.json", "stopped"} {
		if _, err := os.Stat(filepath.Join(data, "run", name)); !os.IsNotExist(err) {
			t.Errorf("after the uninstallation, run/%s exists: %v", name, err)
		}
	}
}

func TestPackagesInstallBelowAFolderOfTheirOwn(t *testing.T) {
	m := newMachine(t)
	stage := t.TempDir()
	m.must("install", "DESTDIR="+stage, "PREFIX=/usr")
	program := filepath.Join(stage, "usr", "bin", "agent-discover")
	if _, err := os.Stat(program); err != nil {
		t.Error(err)
	}
	if runtime.GOOS == "linux" {
		entry := read(t, filepath.Join(stage, "usr", "share", "applications", "agent-discover-desktop.desktop"))
		programtest.Contains(t, entry, `Exec="/usr/bin/agent-discover-desktop" --link %u`)
	}
	m.must("uninstall", "DESTDIR="+stage, "PREFIX=/usr")
	if left := files(t, stage); len(left) > 0 {
		t.Errorf("left are %q", left)
	}
}

func TestInstallNamesTheProgramThatIsNotBuilt(t *testing.T) {
	m := newMachine(t)
	if err := os.Remove(filepath.Join(m.bin, "agent-discover-tray")); err != nil {
		t.Fatal(err)
	}
	output, ok := m.try("install")
	if ok {
		t.Error("install succeeded without the tray")
	}
	programtest.Contains(t, output, "agent-discover-tray is missing", "make build desktop tray")
	if written := files(t, m.prefix); len(written) > 0 {
		t.Errorf("written are %q", written)
	}
}
