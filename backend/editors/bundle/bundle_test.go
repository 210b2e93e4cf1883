package bundle

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// member is a file of an archive that a test creates.
type member struct {
	name, text string
	mode       fs.FileMode
}

// packed creates a bundle of members and returns its path.
func packed(t *testing.T, members ...member) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, m := range members {
		header := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		header.SetMode(max(m.mode, 0o644))
		if m.mode&fs.ModeType != 0 {
			header.SetMode(m.mode)
		}
		f, err := w.CreateHeader(header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(m.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return written(t, out.Bytes())
}

func written(t *testing.T, data []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "test.mcpb")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func opened(t *testing.T, members ...member) *Bundle {
	t.Helper()
	b, err := Open(packed(t, members...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

const plain = `{"manifest_version":"0.3","name":"notes","version":"1.2.0","description":"Notes","author":{"name":"A"},
	"server":{"type":"node","entry_point":"server/index.js","mcp_config":{"command":"node","args":["${__dirname}/server/index.js"]}}}`

var linux = System{OS: "linux", Home: "/home/me", Runs: func(p string) bool { return p != "python" }}

func TestBundlesAreUnpackedForTheUserOnly(t *testing.T) {
	b := opened(t, member{"manifest.json", plain, 0}, member{"server/", "", fs.ModeDir | 0o777},
		member{"server/index.js", "code", 0o644}, member{"bin/tool", "elf", 0o755})
	if b.Name != "notes" || b.Version != "1.2.0" || len(b.Hash) != 64 || b.Folder() != "notes-"+b.Hash {
		t.Errorf("the manifest is %+v, the folder %s", b.Manifest, b.Folder())
	}
	root := filepath.Join(t.TempDir(), "bundles")
	launch := b.Launch(linux, filepath.Join(root, b.Folder()), nil)
	unpacked, err := b.Unpack(t.Context(), root, launch)
	if err != nil {
		t.Fatal(err)
	}
	if err := unpacked.Keep(); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]fs.FileMode{
		"manifest.json": 0o600, "server": 0o700 | fs.ModeDir, "server/index.js": 0o600, "bin/tool": 0o700,
	} {
		info, err := os.Stat(filepath.Join(unpacked.Folder, name))
		if err != nil || info.Mode() != mode && runtime.GOOS != "windows" {
			t.Errorf("%s is %v, %v", name, info.Mode(), err)
		}
	}
	if text, _ := os.ReadFile(launch.Args[0]); string(text) != "code" {
		t.Errorf("the started script contains %q", text)
	}
	if left, _ := os.ReadDir(root); len(left) != 1 {
		t.Errorf("the root contains %v", left)
	}
}

func TestUnpackingAgainReplacesTheFolder(t *testing.T) {
	b, root := opened(t, member{"manifest.json", plain, 0}, member{"a", "right", 0}), t.TempDir()
	first, err := b.Unpack(t.Context(), root, Launch{})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(first.Folder, "a")
	damage := func() {
		if err := os.WriteFile(file, []byte("wrong"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	damage()
	again, err := b.Unpack(t.Context(), root, Launch{})
	if err != nil || again.Folder != first.Folder {
		t.Fatalf("unpacked to %v, %v", again, err)
	}
	if text, _ := os.ReadFile(file); string(text) != "right" {
		t.Errorf("the file contains %q", text)
	}
	if err := again.Undo(); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(file); string(text) != "wrong" {
		t.Errorf("after Undo the file contains %q", text)
	}
	again, _ = b.Unpack(t.Context(), root, Launch{})
	if err := again.Keep(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(root); len(left) != 1 {
		t.Errorf("the root contains %v", left)
	}
}

func TestInterruptedUnpackingLeavesNothing(t *testing.T) {
	b, root := opened(t, member{"manifest.json", plain, 0}), t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, unfinished+"of-a-crash"), 0o700); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Unpack(ended, root, Launch{}); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(root); len(left) != 0 {
		t.Errorf("the root contains %v", left)
	}
}

func TestHostileArchivesAreRefused(t *testing.T) {
	manifest := member{"manifest.json", plain, 0}
	for what, bad := range map[string]member{
		"up":                  {"../evil", "x", 0},
		"up from within":      {"a/../../evil", "x", 0},
		"up and down":         {"a/../b", "x", 0},
		"from the root":       {"/etc/evil", "x", 0},
		"from a drive":        {"C:/evil", "x", 0},
		"with backslashes":    {`..\evil`, "x", 0},
		"a stream":            {"a:b", "x", 0},
		"a device":            {"a/CON.txt", "x", 0},
		"a control character": {"a\x1b[2J", "x", 0},
		"a dot at the end":    {"a./b", "x", 0},
		"a dot before it":     {"./a", "x", 0},
		"a link":              {"link", "/etc/passwd", fs.ModeSymlink | 0o777},
		"a pipe":              {"pipe", "", fs.ModeNamedPipe | 0o644},
		"the manifest twice":  {"MANIFEST.json", "{}", 0},
		"a bomb":              {"zeros", strings.Repeat("\x00", large+1), 0},
		"a long name":         {strings.Repeat("a/", 300) + "b", "x", 0},
	} {
		if _, err := Open(packed(t, manifest, bad)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: got %v", what, err)
		}
	}
}

func TestFilesThatAreNoBundlesAreRefused(t *testing.T) {
	whole, err := os.ReadFile(packed(t, member{"manifest.json", plain, 0}))
	if err != nil {
		t.Fatal(err)
	}
	many := slices.Clone(whole)
	binary.LittleEndian.PutUint16(many[len(many)-12:], 0xffff)
	long := slices.Clone(whole)
	binary.LittleEndian.PutUint32(long[len(long)-10:], maxDirectory+1)
	for what, data := range map[string][]byte{
		"nothing": nil, "text": []byte("hello"), "half": whole[:len(whole)/2], "an end alone": whole[len(whole)-22:],
	} {
		if _, err := Open(written(t, data)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: got %v", what, err)
		}
	}
	for what, data := range map[string][]byte{"too many files": many, "a long list": long} {
		if _, err := Open(written(t, data)); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "more than 50000 files") {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if _, err := Open(packed(t, member{"server.js", "x", 0})); fault.KindOf(err) != fault.Invalid ||
		!strings.Contains(err.Error(), "manifest.json") {
		t.Errorf("without a manifest: %v", err)
	}
	for what, name := range map[string]string{"a folder": t.TempDir(), "a relative path": "a.mcpb"} {
		if _, err := Open(name); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); fault.KindOf(err) != fault.NotFound {
		t.Errorf("no file: %v", err)
	}
}

// listed returns an archive whose directory has n empty files and starts at
// offset 0. With zip64, the number and place of the entries are in the records
// of that format.
func listed(n int, zip64 bool) []byte {
	entry := make([]byte, 46)
	copy(entry, "PK\x01\x02")
	data := bytes.Repeat(entry, n)
	size := uint64(len(data))
	if zip64 {
		end := make([]byte, 56)
		copy(end, "PK\x06\x06")
		binary.LittleEndian.PutUint64(end[4:], 44)
		binary.LittleEndian.PutUint64(end[24:], uint64(n))
		binary.LittleEndian.PutUint64(end[32:], uint64(n))
		binary.LittleEndian.PutUint64(end[40:], size)
		locator := make([]byte, 20)
		copy(locator, "PK\x06\x07")
		binary.LittleEndian.PutUint64(locator[8:], size)
		binary.LittleEndian.PutUint32(locator[16:], 1)
		data = append(append(data, end...), locator...)
	}
	end := make([]byte, 22)
	copy(end, "PK\x05\x06")
	binary.LittleEndian.PutUint16(end[10:], uint16(n))
	binary.LittleEndian.PutUint32(end[12:], uint32(size))
	if zip64 { // a value that makes archive/zip read the zip64 records
		binary.LittleEndian.PutUint32(end[12:], 0xffff)
		binary.LittleEndian.PutUint32(end[16:], uint32(len(data)-0xffff))
	}
	return append(data, end...)
}

func TestArchivesWithMoreFilesThanTheirEndStatesAreRefused(t *testing.T) {
	for what, row := range map[string]struct {
		data []byte
		want string
	}{
		"zip64":               {listed(100_000, true), "zip64"},
		"65,536 files and 10": {listed(1<<16+10, false), "more than 50000 files"},
	} {
		if _, err := Open(written(t, row.data)); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), row.want) {
			t.Errorf("%s: got %v, want %q", what, err, row.want)
		}
	}
}

func TestChangesOfTheFileAfterItWasOpenedAreIgnored(t *testing.T) {
	path := packed(t, member{"manifest.json", plain, 0}, member{"server/index.js", "good", 0})
	other, err := os.ReadFile(packed(t, member{"manifest.json", plain, 0}, member{"server/index.js", "evil", 0}))
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, other, 0o600); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	unpacked, err := b.Unpack(t.Context(), root, Launch{})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(unpacked.Folder, "server", "index.js")); string(text) != "good" || err != nil {
		t.Errorf("unpacked %q, %v", text, err)
	}
	copied := b.file.Name()
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(copied); !os.IsNotExist(err) {
		t.Errorf("the copy %s is left: %v", copied, err)
	}
}

func TestFoldersAreComparedWithTheBundle(t *testing.T) {
	b := opened(t, member{"manifest.json", plain, 0}, member{"server/index.js", "code", 0})
	unpacked, err := b.Unpack(t.Context(), t.TempDir(), Launch{})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(unpacked.Folder, "server", "index.js")
	for _, row := range []struct {
		text string
		want bool
	}{{"code", true}, {"cod", false}, {"code ", false}, {"evil", false}} {
		if err := os.WriteFile(file, []byte(row.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := b.In(unpacked.Folder); got != row.want {
			t.Errorf("with %q: %v", row.text, got)
		}
	}
	if err := os.Remove(file); err != nil || b.In(unpacked.Folder) || b.In(filepath.Join(unpacked.Folder, "none")) {
		t.Errorf("an incomplete folder is taken for the bundle: %v", err)
	}
	if !b.IsFormerFolder("notes-1.2.0-"+b.Hash[:8]) || b.IsFormerFolder("notes-1.2.0-00000000") || b.IsFormerFolder(b.Folder()) {
		t.Error("the folder's earlier name is not recognized")
	}
}

func TestUnpackingStopsAtTheSizeLimit(t *testing.T) {
	b, root := opened(t, member{"manifest.json", plain, 0}, member{"big", strings.Repeat("ab", 5000), 0}), t.TempDir()
	b.bytes = 5000
	if _, err := b.Unpack(t.Context(), root, Launch{}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(root); len(left) != 0 {
		t.Errorf("the root contains %v", left)
	}
}

func TestASignatureAfterTheArchiveIsIgnored(t *testing.T) {
	whole, err := os.ReadFile(packed(t, member{"manifest.json", plain, 0}))
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(written(t, append(whole, []byte("MCPB_SIG_V1\x04\x00\x00\x00abcdMCPB_SIG_END")...)))
	if err != nil {
		t.Fatal(err)
	}
	_ = b.Close()
}
