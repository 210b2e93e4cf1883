package longresult

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// binary returns a block with encoded content.
func binary(kind, mime, content string) string {
	data := base64.StdEncoding.EncodeToString([]byte(content))
	if kind == "resource" {
		return fmt.Sprintf(`{"type":"resource","resource":{"uri":"file:///../../x.sh","mimeType":%q,"blob":%q}}`, mime, data)
	}
	return fmt.Sprintf(`{"type":%q,"mimeType":%q,"data":%q}`, kind, mime, data)
}

// savable returns a store with a long result that has several blocks, and a client that may save them in folder.
func savable(t *testing.T) (s *Store, c Client, folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "new", "folder")
	c = Client{Session: "a", Limit: DefaultLimit, Saver: "call_write_tool", Folder: folder}
	blocks := []string{
		binary("image", "image/png", "pixels"), binary("audio", "audio/wav; rate=8", strings.Repeat("tone", 10_000)),
		binary("resource", "application/x-sh", "rm -r /"), `{"type":"resource_link","uri":"file:///a","name":"a"}`,
		`{"type":"image","mimeType":"image/png","data":"not base64!"}`,
	}
	s = new(Store)
	cut := s.Cut(c, json.RawMessage(`{"content":[`+strings.Join(blocks, ",")+`]}`))
	if want := `call_write_tool {\"call_as\":\"save_block\",\"arguments\":{\"handle\":\"` + numbered(s, "r1") +
		`\",\"block\":N}} saves block N, from 0 on, as a file.`; !strings.Contains(string(cut), want) {
		t.Fatalf("got %s, want %s", cut, want)
	}
	return s, c, folder
}

// saved saves a block and returns the path of the file.
func saved(t *testing.T, s *Store, c Client, block int) string {
	t.Helper()
	result, err := s.Save(c, numbered(s, "r1"), block)
	if err != nil {
		t.Fatal(fault.MessageOf(err), err)
	}
	_, path, ok := strings.Cut(textsOf(t, result)[0], ", as ")
	if !ok {
		t.Fatalf("got %s", result)
	}
	return path
}

func TestBlocksAreSavedInTheFolder(t *testing.T) {
	s, c, folder := savable(t)
	for block, want := range map[int]struct{ name, content string }{
		0: {"-0.png", "pixels"}, 1: {"-1.wav", strings.Repeat("tone", 10_000)}, 2: {"-2.bin", "rm -r /"},
	} {
		path := saved(t, s, c, block)
		if path != filepath.Join(folder, numbered(s, "r1")+want.name) {
			t.Errorf("block %d is in %s", block, path)
		}
		content, err := os.ReadFile(path)
		if err != nil || string(content) != want.content {
			t.Errorf("block %d: %q, %v", block, content, err)
		}
		if info, err := os.Stat(path); runtime.GOOS != "windows" && (err != nil || info.Mode() != 0o600) {
			t.Errorf("block %d: %v, %v", block, info.Mode(), err)
		}
		if again := saved(t, s, c, block); again != path {
			t.Errorf("block %d is saved again as %s", block, again)
		}
	}
	if files, _ := os.ReadDir(folder); len(files) != 3 {
		t.Errorf("the folder has %v", files)
	}
	for block, want := range map[int]string{3: "has no content", 4: "has no content", 5: "not an image"} {
		if _, err := s.Save(c, numbered(s, "r1"), block); !strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("block %d: %v", block, err)
		}
	}
	if _, err := s.Save(Client{Session: "b", Folder: folder}, numbered(s, "r1"), 0); fault.KindOf(err) != fault.NotFound {
		t.Errorf("another session: %v", err)
	}
	if _, err := s.Save(Client{Session: "a"}, numbered(s, "r1"), 0); fault.KindOf(err) != fault.Denied {
		t.Errorf("without a folder: %v", err)
	}
}

func TestSavingOverwritesNothingAndStaysInTheFolder(t *testing.T) {
	s, c, folder := savable(t)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	name, outside := numbered(s, "r1"), filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(filepath.Join(folder, name+"-0.png"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(folder, name+"-0-2.png")); err != nil {
		t.Skip("links cannot be created here:", err)
	}
	if path := saved(t, s, c, 0); path != filepath.Join(folder, name+"-0-3.png") {
		t.Errorf("saved as %s", path)
	}
	if mine, err := os.ReadFile(filepath.Join(folder, name+"-0.png")); err != nil || string(mine) != "mine" {
		t.Errorf("the file that existed is %q, %v", mine, err)
	}
	if _, err := os.Lstat(outside); !os.IsNotExist(err) {
		t.Errorf("a file outside the folder exists: %v", err)
	}
}

func TestAFolderThatCannotBeWrittenIsAnError(t *testing.T) {
	s, c, _ := savable(t)
	c.Folder = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(c.Folder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Save(c, numbered(s, "r1"), 0); !strings.Contains(fault.MessageOf(err), "could not save block 0 in results.folder") {
		t.Errorf("got %v", err)
	}
}

func TestAnImageCanBeSavedAlthoughItIsShown(t *testing.T) {
	c := Client{Session: "a", Limit: DefaultLimit, Folder: t.TempDir()}
	result := `{"content":[{"type":"text","text":"a screenshot"},` + binary("image", "image/png",
		strings.Repeat("pixel", 10_000)) + `],"structuredContent":{"a":1}}`
	var s Store
	cut := string(s.Cut(c, json.RawMessage(result)))
	before, _, _ := strings.Cut(result, "]")
	if !strings.HasPrefix(cut, before+`,{"type":"text","text":"[save_block {\"handle\":\"`) ||
		!strings.HasSuffix(cut, `,"structuredContent":{"a":1}}`) {
		t.Errorf("got %s…%s", cut[:200], cut[len(cut)-300:])
	}
	if content, err := os.ReadFile(saved(t, &s, c, 1)); err != nil || len(content) != 50_000 {
		t.Errorf("%d bytes, %v", len(content), err)
	}
}
