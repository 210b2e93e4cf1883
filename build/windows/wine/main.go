//go:build unix

// Command wine runs tests that are built for Windows on Linux. build/windows.sh calls it.
//
//	wine overlay FOLDER    writes an overlay for go build to FOLDER and prints the path of its JSON file
//	wine exec TEST ARGS    runs a test program under wine without the tests in skipped.txt; for go test -exec
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

//go:embed skipped.txt
var skipped string

func main() {
	err := run(os.Args[1:])
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		os.Exit(exit.ExitCode()) // the test has printed the reason
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "wine:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "overlay":
		return overlay(args[1])
	case len(args) >= 2 && args[0] == "exec":
		return test(args[1], args[2:])
	}
	return errors.New("usage: wine overlay FOLDER | wine exec TEST ARGS")
}

// overlay writes a changed copy of the file in Go's source that deletes files. Go first tries a newer way to delete a
// file, for which wine 8 returns STATUS_NOT_IMPLEMENTED. The original file does not try the older way after this
// status; the changed one does.
func overlay(folder string) error {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("find Go's source: %w", err)
	}
	original := filepath.Join(strings.TrimSpace(string(root)), "src", "internal", "syscall", "windows", "at_windows.go")
	source, err := os.ReadFile(original)
	if err != nil {
		return err
	}
	changed, err := withFallback(source)
	if err != nil {
		return fmt.Errorf("%s: %w", original, err)
	}
	folder, err = filepath.Abs(folder)
	if err != nil {
		return err
	}
	replacement := filepath.Join(folder, "at_windows.go")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{original: replacement}})
	if err != nil {
		return err
	}
	list := filepath.Join(folder, "overlay.json")
	if err := errors.Join(os.MkdirAll(folder, 0o755), write(replacement, changed), write(list, replace)); err != nil {
		return err
	}
	fmt.Println(list)
	return nil
}

// write writes a file unless it already has that content: the go command rebuilds the packages that depend on a
// newer file.
func write(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return os.WriteFile(path, data, 0o644)
}

// withFallback adds the status that wine returns to the case in Go's source after which Go deletes files in the
// older way.
func withFallback(source []byte) ([]byte, error) {
	const before = "\t\tSTATUS_NOT_SUPPORTED:"
	if bytes.Count(source, []byte(before)) != 1 {
		return nil, fmt.Errorf("%q does not occur exactly once; look how this version of Go deletes files", strings.TrimSpace(before))
	}
	return bytes.Replace(source, []byte(before), []byte("\t\tNTStatus(0xC0000002),\n"+before), 1), nil
}

// test runs a test program. The go command starts it in the folder of the tested package.
func test(program string, args []string) error {
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return fmt.Errorf("find the module: %w", err)
	}
	folder, err := os.Getwd()
	if err != nil {
		return err
	}
	name, err := filepath.Rel(strings.TrimSpace(string(module)), folder)
	if err != nil {
		return err
	}
	list, err := parse(skipped)
	if err != nil {
		return err
	}
	if pattern := list.report(os.Stdout, filepath.ToSlash(name)); pattern != "" {
		args = append(args, "-test.skip="+pattern)
	}
	return follow(exec.Command("timeout", append([]string{"-k", "5", "630", "wine", program}, args...)...), os.Stdout, os.Stderr)
}

// follow runs a command and passes its output on until the command ends. It does not wait for services of wine that
// the test happened to start and that keep its output open; the go command would wait for them.
func follow(cmd *exec.Cmd, stdout, stderr io.Writer) error {
	// Wrap the writers, so that the command gets pipes instead of files.
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = passing{stdout}, passing{stderr}, time.Second
	if err := cmd.Run(); !errors.Is(err, exec.ErrWaitDelay) {
		return err
	}
	return nil
}

type passing struct{ io.Writer }
