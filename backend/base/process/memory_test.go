package process

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
)

// held is how much memory a child process of the test takes, in bytes.
const held = 64 << 20

func TestMemoryCountsAProcessWithItsDescendants(t *testing.T) {
	if os.Getenv("HOLD_MEMORY") != "" {
		memory := make([]byte, held)
		for i := range memory {
			memory[i] = byte(i)
		}
		fmt.Println("ready")
		_, _ = io.Copy(io.Discard, os.Stdin)
		fmt.Println(memory[held/2])
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestMemoryCountsAProcessWithItsDescendants$")
	cmd.Env = append(os.Environ(), "HOLD_MEMORY=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the child has ended")
	}
	child, own := cmd.Process.Pid, os.Getpid()
	taken := Memory([]int{child, own})
	if taken[child] < held || taken[child] > 4*held {
		t.Errorf("a process that holds %d bytes takes %d", held, taken[child])
	}
	if taken[own] < taken[child]+1<<20 {
		t.Errorf("a process takes %d bytes with a child that takes %d", taken[own], taken[child])
	}
	_ = in.Close()
	for lines.Scan() {
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if n, known := Memory([]int{child})[child]; known {
		t.Errorf("a process that has ended takes %d bytes", n)
	}
}
