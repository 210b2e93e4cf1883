package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Detach makes a command outlive this process, its console and its job. The start
// fails if the job does not allow processes to leave it.
func Detach(cmd *exec.Cmd) {
	DetachInJob(cmd)
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_BREAKAWAY_FROM_JOB
}

// DetachInJob is like Detach, but the command stays in the job of this process.
//
// A console program gets a console without a window, which its children share and through which Windows notifies it
// when the user logs out. HideWindow is not set, because it would hide the first window of a graphical program.
func DetachInJob(cmd *exec.Cmd) {
	attributes(cmd).CreationFlags = windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP
}

// Isolate prepares a command that has not been started, so that Adopt can be called
// after its start.
func Isolate(cmd *exec.Cmd) {
	attributes(cmd).CreationFlags |= windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP
}

// attributes returns the attributes of a command, which may already contain its
// quoted command line.
func attributes(cmd *exec.Cmd) *syscall.SysProcAttr {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	return cmd.SysProcAttr
}

// adopted holds the processes for which Adopt was called.
var adopted sync.Map // pid → owner

// owner holds the handles of an adopted process.
type owner struct {
	job windows.Handle // 0 if the process could not be put into a job
	// process is an open handle, which prevents Windows from reusing the pid.
	process windows.Handle
}

// newJob creates a job object. Windows ends the processes of a job when its last
// handle is closed, which also happens when this process ends. Tests replace it.
var newJob = func() (windows.Handle, error) { return windows.CreateJobObject(nil, nil) }

// Adopt puts a started command and its children into a job of their own. After an
// error, Kill and Reap end the command and its descendants, which they find by the pids
// of their parents.
func Adopt(cmd *exec.Cmd) error {
	pid := cmd.Process.Pid
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return fmt.Errorf("open process: %w", err)
	}
	job, err := newJob()
	if err != nil {
		err = fmt.Errorf("create job: %w", err)
	} else if err = adopt(job, pid); err != nil {
		_ = windows.CloseHandle(job)
		job = 0
	}
	adopted.Store(pid, owner{job, process})
	return err
}

func adopt(job windows.Handle, pid int) error {
	if err := limit(job, windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}); err != nil {
		return err
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return fmt.Errorf("open process: %w", err)
	}
	defer func() { _ = windows.CloseHandle(process) }()
	if err := windows.AssignProcessToJobObject(job, process); err != nil {
		return fmt.Errorf("assign to job: %w", err)
	}
	return nil
}

// limit sets the limits of a job, and makes Windows end the processes of the job when
// its last handle is closed.
func limit(job windows.Handle, limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION) error {
	limits.BasicLimitInformation.LimitFlags |= windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		return fmt.Errorf("limit job: %w", err)
	}
	return nil
}

// LimitJob limits the total memory in bytes of an adopted command and its children, and
// the number of these processes.
func LimitJob(pid int, memory uint64, processes uint32) error {
	value, ok := adopted.Load(pid)
	if !ok || value.(owner).job == 0 {
		return errors.New("limit job: the command is not in a job")
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{JobMemoryLimit: uintptr(memory)}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_JOB_MEMORY | windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS
	limits.BasicLimitInformation.ActiveProcessLimit = processes
	return limit(value.(owner).job, limits)
}

// Terminate does nothing: Windows cannot ask a program without a window to end,
// other than by closing its standard input.
func Terminate(int) {}

// Kill ends an isolated command and its children. The command must have been started,
// and Wait must not have returned yet.
func Kill(pid int) {
	if !release(pid) {
		endTree(pid)
	}
}

// Reap ends the remaining processes of adopted commands and closes their handles. It
// also ends commands that an earlier hub started but could not adopt. Windows ends the
// adopted commands of a hub together with the hub.
func Reap(trees ...Tree) {
	for _, t := range trees {
		if !release(t.PID) && t.Alive() {
			endTree(t.PID)
		}
	}
}

// release ends an adopted command and its children, and removes the command from
// adopted. It returns false if the command was not adopted.
func release(pid int) bool {
	value, ok := adopted.LoadAndDelete(pid)
	if !ok {
		return false
	}
	held := value.(owner)
	if held.job != 0 {
		_ = windows.TerminateJobObject(held.job, 1)
		_ = windows.CloseHandle(held.job)
	} else {
		endTree(pid)
	}
	_ = windows.CloseHandle(held.process)
	return true
}

// Members returns nil: on Windows the job of a command keeps track of its processes.
func (t Tree) Members() []ID { return nil }

// StartOf returns the start time of a process as an opaque text, "" if it does not
// run.
func StartOf(pid int) string {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return ""
	}
	defer func() { _ = windows.CloseHandle(process) }()
	var code uint32
	if windows.GetExitCodeProcess(process, &code) != nil || code != 259 { // STILL_ACTIVE
		return ""
	}
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(process, &created, &exited, &kernel, &user) != nil {
		return ""
	}
	return fmt.Sprint(created.Nanoseconds())
}

// Login returns the environment that Windows gives to programs of this user. As on other systems, the folders of this
// process's own PATH are added at the end: the terminal in which a person started the hub may have a more complete
// PATH.
func Login(context.Context) (Env, error) {
	env, err := windows.GetCurrentProcessToken().Environ(false)
	if err != nil {
		return Clean(), err
	}
	user := Env(env).Without(OwnVariable)
	return user.With("PATH", joinPath(user.Get("PATH"), os.Getenv("PATH"))), nil
}

// sessionEnvironment returns the environment of the user from the Windows registry,
// or nil if it cannot be read.
func sessionEnvironment() Env {
	env, err := windows.GetCurrentProcessToken().Environ(false)
	if err != nil {
		return nil
	}
	return env
}

// mayContain reports whether a folder may contain a file whose name begins with that
// of a program. Most folders do not, and one search for all extensions is much faster
// than one for each.
func mayContain(dir, program string) bool {
	pattern := filepath.Join(dir, program) + "*"
	if len(pattern) >= windows.MAX_PATH {
		return true
	}
	name, err := windows.UTF16PtrFromString(pattern)
	if err != nil {
		return true
	}
	var data windows.Win32finddata
	search, err := windows.FindFirstFile(name, &data)
	if err != nil {
		return !errors.Is(err, windows.ERROR_FILE_NOT_FOUND) && !errors.Is(err, windows.ERROR_PATH_NOT_FOUND)
	}
	_ = windows.FindClose(search)
	return true
}

func defaultPath() string { return `C:\Windows\System32;C:\Windows` }

func terminateOne(int) error { return nil } // see Terminate

func killOne(pid int) error {
	end(uint32(pid))
	return nil
}
