package process

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/windows"
)

// playServer starts a helper, prints its pid, and ignores the end of its input.
func playServer() error {
	helper := playing("bystander")
	input, err := helper.StdinPipe()
	if err != nil {
		return err
	}
	if err := helper.Start(); err != nil {
		return err
	}
	fmt.Println(helper.Process.Pid)
	err = helper.Wait()
	return errors.Join(err, input.Close())
}

// server starts and adopts a server. It also returns the helper that the server starts, and the error of Adopt.
func server(t *testing.T) (cmd *exec.Cmd, helper ID, adoption error) {
	t.Helper()
	cmd = playing("server")
	Isolate(cmd)
	output, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	adoption = Adopt(cmd)
	line, err := bufio.NewReader(io.LimitReader(output, 20)).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill()
		}
	})
	return cmd, ID{pid, StartOf(pid)}, adoption
}

// ended waits for the end of a process, without a time limit of its own.
func ended(t *testing.T, id ID) {
	t.Helper()
	handle, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(id.PID))
	if err != nil || !id.Alive() {
		return
	}
	defer func() { _ = windows.CloseHandle(handle) }()
	if _, err := windows.WaitForSingleObject(handle, windows.INFINITE); err != nil {
		t.Error(err)
	}
}

func TestACommandEndsWithItsHelpersAlsoWithoutAJob(t *testing.T) {
	noJob := func() (windows.Handle, error) { return 0, errors.New("no job for a test") }
	otherJob := func() (windows.Handle, error) { return windows.CurrentProcess(), nil } // not a job, so the assignment fails
	for name, create := range map[string]func() (windows.Handle, error){
		"with a job": newJob, "without a job": noJob, "not assigned": otherJob,
	} {
		for how, kill := range map[string]func(*exec.Cmd){
			"killed": func(cmd *exec.Cmd) { Kill(cmd.Process.Pid) },
			"reaped": func(cmd *exec.Cmd) { Reap(Tree{ID: ID{cmd.Process.Pid, StartOf(cmd.Process.Pid)}}) },
			"ended before itself": func(cmd *exec.Cmd) {
				id := ID{cmd.Process.Pid, StartOf(cmd.Process.Pid)}
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
				Reap(Tree{ID: id})
			},
		} {
			t.Run(name+", "+how, func(t *testing.T) {
				before := newJob
				newJob = create
				t.Cleanup(func() { newJob = before })
				cmd, helper, err := server(t)
				if (err == nil) != (name == "with a job") {
					t.Fatalf("Adopt returned %v", err)
				}
				if !helper.Alive() {
					t.Fatal("the helper does not run")
				}
				kill(cmd)
				_ = cmd.Wait() // returns when the command has ended
				ended(t, helper)
				if _, kept := adopted.Load(cmd.Process.Pid); kept {
					t.Error("handles are kept")
				}
			})
		}
	}
}

func TestAnOrphanWithoutAJobIsEndedByTheNextHub(t *testing.T) {
	cmd, helper, _ := server(t)
	id := ID{cmd.Process.Pid, StartOf(cmd.Process.Pid)}
	value, _ := adopted.LoadAndDelete(id.PID) // as if another process had started it
	t.Cleanup(func() { _ = windows.CloseHandle(value.(owner).job) })
	Reap(Tree{ID: ID{id.PID, "another"}})
	if !id.Alive() || !helper.Alive() {
		t.Fatal("a process was ended that only has the pid of an orphan")
	}
	Reap(Tree{ID: id})
	_ = cmd.Wait()
	ended(t, helper)
}
