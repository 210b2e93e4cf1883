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

// Detach makes a command outlive this process, its console and its job. The start
// fails if the job does not allow processes to leave it.
func Detach(cmd *exec.Cmd) {
	DetachInJob(cmd)
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_BREAKAWAY_FROM_JOB
}

// DetachInJob is Detach, but the command stays in the job of this process.
func DetachInJob(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP,
	}
}

// Isolate prepares a command that has not been started, so that Adopt can be called
// after its start.
func Isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP,
	}
}

// jobs holds the job object of each adopted process. Windows ends the processes of
// a job when its last handle is closed, which also happens when this process ends.
var jobs sync.Map // pid → windows.Handle

// Adopt puts a started command and its children into a job of their own.
func Adopt(cmd *exec.Cmd) error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return fmt.Errorf("create job: %w", err)
	}
	if err := adopt(job, cmd.Process.Pid); err != nil {
		_ = windows.CloseHandle(job)
		return err
	}
	jobs.Store(cmd.Process.Pid, job)
	return nil
}

func adopt(job windows.Handle, pid int) error {
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		return fmt.Errorf("limit job: %w", err)
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

// Terminate does nothing: Windows cannot ask a program without a window to end,
// other than by closing its standard input.
func Terminate(int) {}

// Kill ends an isolated command with its children.
func Kill(pid int) {
	if job, ok := jobs.LoadAndDelete(pid); ok {
		_ = windows.TerminateJobObject(job.(windows.Handle), 1)
		_ = windows.CloseHandle(job.(windows.Handle))
	}
}

// Reap ends the remaining children of an adopted command and frees its job. For a
// child of an ended hub it does nothing, because the child ended with the hub.
func Reap(id ID) { Kill(id.PID) }

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

// Login returns the environment that Windows gives to programs of this user.
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
