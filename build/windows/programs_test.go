// Package windows tests the programs that make builds for Windows.
package windows

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"
)

// Types of resources in winuser.h.
const (
	typeIconGroup = 14
	typeVersion   = 16
	typeManifest  = 24
)

func TestTheProgramsHaveTheSubsystemIconManifestAndVersionThatWindowsShows(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil || runtime.GOOS == "windows" {
		t.Skip("make is missing, or reads the paths of Windows differently")
	}
	bin := t.TempDir()
	// Either the built dashboard or its placeholder is embedded.
	build := exec.Command("make", "-C", "../..", "--no-print-directory", "-o", "frontend", "BIN="+bin, "VERSION=2.5.1+12.g0a1b2c3",
		"build", "desktop", "tray")
	build.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	manifest, err := os.ReadFile("app.manifest")
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		subsystem   uint16
		description string
	}{
		"agent-discover":         {pe.IMAGE_SUBSYSTEM_WINDOWS_CUI, "Agent Discover Hub"},
		"agent-discover-desktop": {pe.IMAGE_SUBSYSTEM_WINDOWS_GUI, "Agent Discover"},
		"agent-discover-tray":    {pe.IMAGE_SUBSYSTEM_WINDOWS_GUI, "Agent Discover Tray"},
	} {
		file, err := pe.Open(filepath.Join(bin, name+".exe"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.Close() }()
		header := file.OptionalHeader.(*pe.OptionalHeader64)
		if header.Subsystem != row.subsystem {
			t.Errorf("%s: subsystem %d, want %d", name, header.Subsystem, row.subsystem)
		}
		resources := readResources(t, file, header)
		if len(resources[typeIconGroup]) == 0 {
			t.Errorf("%s has no icon", name)
		}
		if !bytes.Equal(resources[typeManifest], manifest) {
			t.Errorf("%s: the manifest is not that of the repository: %s", name, resources[typeManifest])
		}
		version := resources[typeVersion]
		for _, want := range []string{"2.5.1+12.g0a1b2c3", row.description, name + ".exe"} {
			if !bytes.Contains(version, inUTF16(want+"\x00")) {
				t.Errorf("%s: the version resource lacks %q", name, want)
			}
		}
		// VS_FIXEDFILEINFO: a signature, its own version, and the file's version.
		if at := bytes.Index(version, []byte{0xbd, 0x04, 0xef, 0xfe}); at < 0 ||
			binary.LittleEndian.Uint32(version[at+8:]) != 2<<16|5 || binary.LittleEndian.Uint32(version[at+12:]) != 1<<16|12 {
			t.Errorf("%s: the version is not 2.5.1.12: % x", name, version[:min(80, len(version))])
		}
	}
}

func TestTheManifestAsksForSharpScreensLongPathsAndUTF8(t *testing.T) {
	manifest, err := os.ReadFile("app.manifest")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`>PerMonitorV2</dpiAwareness>`, `>true</longPathAware>`, `>UTF-8</activeCodePage>`, `level="asInvoker" uiAccess="false"`,
	} {
		if !strings.Contains(string(manifest), want) {
			t.Errorf("the manifest lacks %s", want)
		}
	}
}

// readResources returns the first resource of each type.
func readResources(t *testing.T, file *pe.File, header *pe.OptionalHeader64) map[uint32][]byte {
	t.Helper()
	section := file.Section(".rsrc")
	if section == nil || header.DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_RESOURCE].VirtualAddress != section.VirtualAddress {
		t.Fatal("the program has no resources")
	}
	data, err := section.Data()
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[uint32][]byte)
	for kind, offset := range entries(data, 0) {
		for range 2 { // the levels of the directory for names and for languages
			for _, next := range entries(data, offset&^(1<<31)) {
				offset = next
				break
			}
		}
		start := binary.LittleEndian.Uint32(data[offset:]) - section.VirtualAddress
		found[kind] = data[start : start+binary.LittleEndian.Uint32(data[offset+4:])]
	}
	return found
}

// entries returns the entries of a resource directory: the offsets of their data by id.
func entries(data []byte, at uint32) map[uint32]uint32 {
	all := make(map[uint32]uint32)
	n := uint32(binary.LittleEndian.Uint16(data[at+12:])) + uint32(binary.LittleEndian.Uint16(data[at+14:]))
	for i := range n {
		entry := data[at+16+8*i:]
		all[binary.LittleEndian.Uint32(entry)] = binary.LittleEndian.Uint32(entry[4:])
	}
	return all
}

func inUTF16(text string) (encoded []byte) {
	for _, unit := range utf16.Encode([]rune(text)) {
		encoded = binary.LittleEndian.AppendUint16(encoded, unit)
	}
	return encoded
}
