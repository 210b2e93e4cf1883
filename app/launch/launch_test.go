package launch

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// reportTo names the environment variable that turns the test binary into a program that sends its arguments and its
// session id to a TCP address.
const reportTo = "LAUNCH_TEST_REPORT_TO"

func TestMain(m *testing.M) {
	if address := os.Getenv(reportTo); address != "" {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			os.Exit(1)
		}
		fmt.Fprintf(conn, "%s %d\n", strings.Join(os.Args[1:], " "), session())
		conn.Close()
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// listen accepts reports of programs that the test starts.
func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	t.Setenv(reportTo, listener.Addr().String())
	return listener
}

// accept returns the next report.
func accept(t *testing.T, listener net.Listener) (line string) {
	t.Helper()
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	line, err = bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func TestAStartedProgramHasItsArgumentsAndItsOwnSession(t *testing.T) {
	listener := listen(t)
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ended, err := Start(own, "--page", "/approvals")
	if err != nil {
		t.Fatal(err)
	}
	line := accept(t, listener)
	args, number, _ := strings.Cut(line, " /approvals ")
	if args != "--page" {
		t.Errorf("report of the program: got %q, want --page /approvals", line)
	}
	if runtime.GOOS != "windows" && number == fmt.Sprint(session()) {
		t.Error("the program is in the session of the test and would end with it")
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "3") {
		t.Errorf("result of the program: got %v, want exit status 3", err)
	}
}

func TestTheWindowIsStartedWithThePage(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("makes a symbolic link")
	}
	listener := listen(t)
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if _, err := StartWindow(""); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), Window) {
		t.Errorf("without a window: %v", err)
	}
	if err := os.Symlink(own, filepath.Join(dir, Window)); err != nil {
		t.Fatal(err)
	}
	for page, want := range map[string]string{"": "", "/servers": "--page /servers "} {
		if _, err := StartWindow(page); err != nil {
			t.Fatal(err)
		}
		if got := accept(t, listener); !strings.HasPrefix(got, want) || page == "" && strings.Contains(got, "--page") {
			t.Errorf("page %q: started with %q", page, got)
		}
	}
}

func TestOnlyWebAndMailAddressesAreOpened(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("replaces xdg-open")
	}
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "opened")
	if err := os.WriteFile(out, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nexec \"" + os.Args[0] + "\" \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	for _, bad := range []string{
		"", "file:///etc/passwd", "file://host/share", "ftp://host/x", "javascript:alert(1)", "smb://host/share", "-h", "--help",
		"/bin/sh", "https:", "http://%zz", "x-custom:y",
	} {
		if err := OpenURL(bad); fault.KindOf(err) != fault.Invalid {
			t.Errorf("OpenURL(%q): got %v, want an error of kind Invalid", bad, err)
		}
	}
	listener := listen(t)
	for _, good := range []string{"https://example.org/a?b=c#d", "http://127.0.0.1:3424/", "mailto:ada@example.org"} {
		if err := OpenURL(good); err != nil {
			t.Fatal(err)
		}
		if got := accept(t, listener); !strings.HasPrefix(got, good+" ") {
			t.Errorf("OpenURL(%q): opened %q", good, got)
		}
	}
	if err := OpenFolder(dir); err != nil {
		t.Fatal(err)
	}
	if got := accept(t, listener); !strings.HasPrefix(got, dir+" ") {
		t.Errorf("OpenFolder: opened %q, want %q", got, dir)
	}
	for _, bad := range []string{out, filepath.Join(dir, "none"), ".", ""} {
		if err := OpenFolder(bad); fault.KindOf(err) != fault.NotFound {
			t.Errorf("OpenFolder(%q): got %v, want an error of kind NotFound", bad, err)
		}
	}
}

func TestEverySystemHasAnOpener(t *testing.T) {
	for system, want := range map[string]string{"windows": "rundll32", "darwin": "open", "linux": "xdg-open", "freebsd": "xdg-open"} {
		if got := opener(system)[0]; got != want {
			t.Errorf("%s: got %s, want %s", system, got, want)
		}
	}
}
