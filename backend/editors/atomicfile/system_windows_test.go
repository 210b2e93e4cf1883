package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func TestAFileWithAnotherHardLinkIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(path, path+".other"); err != nil {
		t.Fatal(err)
	}
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := (Disk{}).Replace(t.Context(), f, []byte("new")); fault.KindOf(err) != fault.Denied {
		t.Errorf("Replace returned %v", err)
	}
	if data, _ := os.ReadFile(path + ".other"); string(data) != "old" {
		t.Errorf("the other link has %q", data)
	}
}

func TestAReplacedFileStaysHiddenAndKeepsItsPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		t.Fatal(err)
	}
	const hidden = windows.FILE_ATTRIBUTE_HIDDEN | windows.FILE_ATTRIBUTE_SYSTEM
	if err := windows.SetFileAttributes(name, hidden); err != nil {
		t.Fatal(err)
	}
	before, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := windows.GetFileAttributes(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := (Disk{}).Replace(t.Context(), f, []byte("new")); err != nil {
		t.Fatal(err)
	}
	attributes, err := windows.GetFileAttributes(name)
	if err != nil || attributes&hidden != kept&hidden || kept&hidden == 0 {
		t.Errorf("attributes %x, want %x, %v", attributes, kept, err)
	}
	after, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil || after.String() != before.String() {
		t.Errorf("permissions %v, want %v, %v", after, before, err)
	}
}

func TestAFileThatAProgramWritesIsBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	disk := Disk{Rest: time.Millisecond}
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	writer, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := disk.ReadAtRest(t.Context(), path, nil); fault.KindOf(err) != fault.Busy {
		t.Errorf("ReadAtRest returned %v, want busy", err)
	}
	if err := disk.Replace(t.Context(), f, []byte("new")); fault.KindOf(err) != fault.Busy {
		t.Errorf("Replace returned %v, want busy", err)
	}
	if err := disk.Remove(t.Context(), f); fault.KindOf(err) != fault.Busy {
		t.Errorf("Remove returned %v, want busy", err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := disk.Replace(t.Context(), f, []byte("new")); err != nil {
		t.Fatal(err)
	}
	checkContent(t, path, "new")
	onlyFile(t, path)
}

func TestNobodyOpensAGuardedFileForWriting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	g, err := newGuard(path)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
		_ = f.Close()
		t.Error("a guarded file was opened for writing")
	}
	checkContent(t, path, "old")
	g.release()
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Error(err)
	}
}
