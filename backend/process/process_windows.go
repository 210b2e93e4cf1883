package process

import (
	"context"
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Detach makes a command outlive this process, its console and its job.
func Detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_BREAKAWAY_FROM_JOB,
	}
}

// Isolate prepares a command that is about to start for Adopt.
func Isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP,
	}
}

// jobs holds the job object of each adopted process. Windows ends the
// processes of a job when its last handle closes, which the end of the hub
// does too.
var jobs sync.Map // pid → windows.Handle

// Adopt puts a started command into a job of its own, with all it starts.
func Adopt(cmd *exec.Cmd) error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return fmt.Errorf("create job: %w", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		return fmt.Errorf("limit job: %w", err)
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if err != nil {
		return fmt.Errorf("open process: %w", err)
	}
	defer func() { _ = windows.CloseHandle(process) }()
	if err := windows.AssignProcessToJobObject(job, process); err != nil {
		return fmt.Errorf("assign to job: %w", err)
	}
	jobs.Store(cmd.Process.Pid, job)
	return nil
}

// Terminate asks an isolated command to end; Windows has no gentle way for a
// program without a window, and closing its input was the request.
func Terminate(int) {}

// Kill ends an isolated command with all it started.
func Kill(pid int) {
	if job, ok := jobs.LoadAndDelete(pid); ok {
		_ = windows.TerminateJobObject(job.(windows.Handle), 1)
		_ = windows.CloseHandle(job.(windows.Handle))
	}
}

// Reap has nothing to do: the job of a dead hub's child ended it.
func Reap(ID) {}

// StartOf returns when a process began, "" when there is none.
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

// Login returns the environment that Windows gives this user's programs.
func Login(context.Context) (Env, error) {
	env, err := windows.GetCurrentProcessToken().Environ(false)
	if err != nil {
		return Clean(), err
	}
	return Env(env).Without(OwnVariable), nil
}

func defaultPath() string {
	env, err := windows.GetCurrentProcessToken().Environ(false)
	if err != nil {
		return `C:\Windows\System32;C:\Windows`
	}
	return Env(env).Get("PATH")
}
