package guard

import (
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// redirecting returns a Sessions that writes its files in new temporary folders.
func redirecting(t *testing.T) (*Sessions, Redirects) {
	t.Helper()
	r := Redirects{Folder: paths.Folder(filepath.Join(t.TempDir(), "data")), Home: t.TempDir()}
	if err := r.Folder.Create(); err != nil {
		t.Fatal(err)
	}
	return OpenSessions(SessionOptions{Address: ours, Redirects: r, Log: slog.New(slog.DiscardHandler)}), r
}

var inFile = regexp.MustCompile(`location\.replace\("http://127\.0\.0\.1:3424/#ticket=([0-9a-f]{64})"\)`)

// ticketIn returns the ticket in a file that opens the dashboard.
func ticketIn(t *testing.T, file string) string {
	t.Helper()
	match := inFile.FindStringSubmatch(read(t, file))
	if match == nil {
		t.Fatalf("the file holds no ticket:\n%s", read(t, file))
	}
	return match[1]
}

func exists(file string) bool { _, err := os.Lstat(file); return err == nil }

func TestTheFileThatOpensABrowserIsPrivateAndEndsWithItsTicket(t *testing.T) {
	s, r := redirecting(t)
	file, _, err := s.IssueFile("")
	if err != nil || filepath.Dir(file) != filepath.Dir(r.Folder.Run("x")) {
		t.Fatalf("IssueFile = %s, %v", file, err)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	text := read(t, file)
	for _, want := range []string{"no-referrer", "default-src 'none'; script-src 'sha256-"} {
		if !strings.Contains(text, want) {
			t.Errorf("the file lacks %s:\n%s", want, text)
		}
	}
	other, _, err := s.IssueFile("")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Redeem(ticketIn(t, file), ForPage); !ok {
		t.Error("the ticket is refused")
	}
	if exists(file) || !exists(other) {
		t.Errorf("after the exchange of its ticket, the file exists: %t, the other: %t", exists(file), exists(other))
	}
}

func TestTheFileThatOpensABrowserIsRemovedWhenItsTicketExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := redirecting(t)
		file, expires, err := s.IssueFile("")
		if err != nil {
			t.Fatal(err)
		}
		if !exists(file) {
			t.Fatal("there is no file")
		}
		ticket := ticketIn(t, file)
		time.Sleep(time.Until(expires) + 2*time.Millisecond) // in virtual time
		synctest.Wait()
		if exists(file) {
			t.Error("the file exists after its ticket has expired")
		}
		if _, ok := s.Redeem(ticket, ForPage); ok {
			t.Error("the ticket is accepted after it has expired")
		}
	})
}

func TestFilesThatOpenABrowserDoNotOutliveTheHub(t *testing.T) {
	s, r := redirecting(t)
	common := filepath.Join(r.Home, "snap", "firefox", "common")
	if err := os.MkdirAll(common, 0o755); err != nil {
		t.Fatal(err)
	}
	plain, _, err := s.IssueFile("")
	if err != nil {
		t.Fatal(err)
	}
	snapped, _, err := s.IssueFile("firefox")
	if err != nil || filepath.Dir(snapped) != common {
		t.Fatalf("IssueFile for a snap = %s, %v", snapped, err)
	}
	foreign := filepath.Join(common, "agent-discover-open-00000000-1.html") // of a hub with another data folder
	if err := os.WriteFile(foreign, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	OpenSessions(SessionOptions{Address: ours, Redirects: r}) // after a crash
	if exists(plain) || exists(snapped) || !exists(foreign) {
		t.Errorf("the next hub leaves %t, %t; the file of another hub: %t", exists(plain), exists(snapped), exists(foreign))
	}
	last, _, err := s.IssueFile("")
	if err != nil {
		t.Fatal(err)
	}
	s.endTickets()
	if exists(last) {
		t.Error("the file exists after the end of the hub")
	}
}

func TestOnlyTheFolderOfASnapIsWritten(t *testing.T) {
	s, r := redirecting(t)
	target := t.TempDir()
	if err := os.MkdirAll(filepath.Join(r.Home, "snap", "linked"), 0o755); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		if err := os.Symlink(target, filepath.Join(r.Home, "snap", "linked", "common")); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]fault.Kind{
		"../..": fault.Invalid, "a/b": fault.Invalid, "A": fault.Invalid, "*": fault.Invalid, "none": fault.NotFound,
		"linked": fault.NotFound,
	} {
		if file, _, err := s.IssueFile(name); fault.KindOf(err) != want {
			t.Errorf("the snap %q: %s, %v", name, file, err)
		}
	}
	if len(s.tickets) != 0 {
		t.Errorf("%d tickets without a file", len(s.tickets))
	}
}
