package icons

import (
	"bytes"
	"fmt"
	"image"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

const repository = "../.."

func TestImagesMatchTheirSources(t *testing.T) {
	drawn := t.TempDir()
	generate := exec.Command("go", "-C", "generate", "run", ".", "-out", drawn)
	if output, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	generated := list(t, drawn, ".")
	for file := range generated {
		stored, err := os.ReadFile(filepath.Join(repository, file))
		if err != nil {
			t.Errorf("%v; run: go generate ./build/icons", err)
			continue
		}
		now, err := os.ReadFile(filepath.Join(drawn, file))
		if err != nil {
			t.Fatal(err)
		}
		compare(t, file, stored, now)
	}
	for _, folder := range []string{"build/icons", "build/linux/hicolor"} {
		for file := range list(t, repository, folder) {
			if ext := filepath.Ext(file); (ext == ".png" || ext == ".ico" || ext == ".icns") && !generated[file] {
				t.Errorf("%s is not generated; delete it, or add it to build/icons/generate", file)
			}
		}
	}
}

// compare compares the stored and the new version of a generated file, images by their pixels.
func compare(t *testing.T, file string, stored, now []byte) {
	t.Helper()
	same := func(part any, a, b *image.NRGBA) {
		if b == nil || differing(a, b) > 0 {
			t.Errorf("%s (image %v) differs from its source; run: go generate ./build/icons", file, part)
		}
	}
	switch filepath.Ext(file) {
	case ".png":
		same("whole", decodePNG(t, stored), decodePNG(t, now))
	case ".ico":
		current := decodeICO(t, now)
		for width, picture := range decodeICO(t, stored) {
			same(width, picture, current[width])
		}
	case ".icns":
		current := decodeICNS(t, now)
		for kind, picture := range decodeICNS(t, stored) {
			same(kind, picture, current[kind])
		}
	case ".syso":
		// TestWindowsProgramsContainIconAndManifest checks the parts of a .syso file. Its compressed bytes may change
		// with the version of Go.
	default:
		if !bytes.Equal(stored, now) {
			t.Errorf("%s differs from its source; run: go generate ./build/icons", file)
		}
	}
}

// list returns the slash-separated paths, relative to root, of all files below a folder.
func list(t *testing.T, root, folder string) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	err := fs.WalkDir(os.DirFS(root), folder, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names[name] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestProgramIconsHaveTheSizesThatSystemsNeed(t *testing.T) {
	for file, width := range map[string]int{"appicon.png": 1024, "window.png": 256} {
		checkPicture(t, file, decodePNG(t, readFile(t, file)), width)
	}
	for _, width := range []int{16, 22, 24, 32, 48, 64, 128, 256, 512} {
		file := fmt.Sprintf("../linux/hicolor/%dx%d/apps/agent-discover.png", width, width)
		checkPicture(t, file, decodePNG(t, readFile(t, file)), width)
	}

	windows := decodeICO(t, readFile(t, "icon.ico"))
	for _, width := range []int{16, 24, 32, 48, 64, 256} {
		checkPicture(t, "icon.ico", windows[width], width)
	}
	mac := decodeICNS(t, readFile(t, "icon.icns"))
	for kind, width := range map[string]int{
		"is32": 16, "ic11": 32, "il32": 32, "ic12": 64, "ic07": 128, "ic13": 256, "ic08": 256, "ic14": 512, "ic09": 512, "ic10": 1024,
	} {
		checkPicture(t, "icon.icns "+kind, mac[kind], width)
	}
}

func TestWindowsProgramsContainIconAndManifest(t *testing.T) {
	for _, folder := range []string{"backend/cmd/agent-discover", "app", "app/tray"} {
		for _, arch := range []string{"amd64", "arm64"} {
			file := repository + "/" + folder + "/resources_windows_" + arch + ".syso"
			object := readFile(t, file)
			if !bytes.Contains(object, readFile(t, "../windows/app.manifest")) {
				t.Errorf("%s: the manifest is missing; run: go generate ./build/icons", file)
			}
			for width, entry := range entriesICO(t, readFile(t, "icon.ico")) {
				if !bytes.Contains(object, entry) {
					t.Errorf("%s: the icon of %d pixels is missing; run: go generate ./build/icons", file, width)
				}
			}
		}
	}
}

func TestTheTrayHasAnIconForEveryStateAndPanel(t *testing.T) {
	for _, state := range States() {
		for _, panel := range []string{"light", "dark", "any", "template"} {
			name := fmt.Sprintf("tray/%s-%s", state, panel)
			for _, width := range []int{22, 44} {
				file := fmt.Sprintf("%s-%d.png", name, width)
				checkPicture(t, file, decodePNG(t, readFile(t, file)), width)
			}
			if panel == "template" {
				continue
			}
			pictures := decodeICO(t, readFile(t, name+".ico"))
			for _, width := range []int{16, 20, 24, 32} {
				checkPicture(t, name+".ico", pictures[width], width)
			}
		}
	}
}

// checkPicture fails unless an image is a square of the given width, has enough opaque pixels, and has a transparent
// corner.
func checkPicture(t *testing.T, file string, picture *image.NRGBA, width int) {
	t.Helper()
	if picture == nil || picture.Rect != image.Rect(0, 0, width, width) {
		t.Errorf("%s has no image of %d pixels", file, width)
		return
	}
	drawn := 0
	for i := 3; i < len(picture.Pix); i += 4 {
		if picture.Pix[i] > 128 {
			drawn++
		}
	}
	if drawn < width*width/20 {
		t.Errorf("%s at %d pixels: only %d pixels are opaque", file, width, drawn)
	}
	if corner := picture.NRGBAAt(0, 0).A; corner > 128 {
		t.Errorf("%s at %d pixels: the corner is opaque (alpha %d)", file, width, corner)
	}
}

func TestStatesDifferByShape(t *testing.T) {
	for i, one := range States() {
		a := decodePNG(t, Template(one))
		for j := 0; j < len(a.Pix); j += 4 {
			if a.Pix[j]|a.Pix[j+1]|a.Pix[j+2] != 0 {
				t.Fatalf("the template of %s has a pixel that is not black", one)
			}
		}
		for _, other := range States()[:i] {
			if n := differing(a, decodePNG(t, Template(other))); n < 44*44/50 {
				t.Errorf("%s and %s differ in only %d pixels", one, other, n)
			}
		}
	}
}

func TestTrayIconsHaveTheFormatOfTheSystem(t *testing.T) {
	for _, state := range States() {
		for panel, data := range map[string][]byte{
			"light": Tray(state, false), "dark": Tray(state, true), "any": TrayAnywhere(state),
		} {
			want := []byte("\x89PNG")
			if runtime.GOOS == "windows" {
				want = []byte{0, 0, 1, 0}
			}
			if !bytes.HasPrefix(data, want) {
				t.Errorf("%s on %s: the file begins with % x", state, panel, data[:min(4, len(data))])
			}
		}
		if bytes.Equal(Tray(state, true), Tray(state, false)) {
			t.Errorf("%s looks the same on light and dark panels", state)
		}
	}
	if !bytes.Equal(Tray("asleep", true), Tray(Stopped, true)) || !bytes.Equal(Template("asleep"), Template(Stopped)) {
		t.Error("an unknown state does not get the icon of Stopped")
	}
}

func TestCallersOwnTheBytesOfAnIcon(t *testing.T) {
	for name, get := range map[string]func() []byte{
		"App":      App,
		"Tray":     func() []byte { return Tray(Running, false) },
		"Anywhere": func() []byte { return TrayAnywhere(Running) },
		"Template": func() []byte { return Template(Running) },
	} {
		before := bytes.Clone(get())
		clear(get())
		if !bytes.Equal(get(), before) {
			t.Errorf("%s returned shared bytes", name)
		}
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
