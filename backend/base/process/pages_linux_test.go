package process

import (
	"bytes"
	"os"
	"regexp"
	"strconv"
	"testing"
)

// residentFile returns how many kilobytes of mapped files are in memory.
func residentFile(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`RssFile:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Skip("this system does not report RssFile")
	}
	n, _ := strconv.Atoi(string(found[1])) // the expression allows digits only
	return n
}

func TestReleasedPagesLeaveMemoryAndAreLoadedAgain(t *testing.T) {
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(program, []byte("\x7fELF")) { // also brings code into memory
		t.Fatal("this program is no ELF file")
	}
	before := residentFile(t)
	if err := ReleasePages(); err != nil {
		t.Fatal(err)
	}
	if after := residentFile(t); after >= before {
		t.Errorf("%d kB of the program's file are in memory, before %d kB", after, before)
	}
	if _, err := strconv.Atoi("12"); err != nil {
		t.Errorf("the program does not work any more: %v", err)
	}
}
