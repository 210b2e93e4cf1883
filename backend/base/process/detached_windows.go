package process

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// DetachedStarts returns the ways to start a command that outlives this process,
// the best first. Windows may end all processes of a job object together with the
// program that created it, such as an editor. A process can leave the job only if the
// job allows that; otherwise it must be the child of a process that is in no job.
func DetachedStarts() []DetachedStart {
	return []DetachedStart{
		{"outside of the job", startOutside},
		{"as a child of the desktop's shell", startBelowShell},
		{"in the job of its starter", func(cmd *exec.Cmd) error {
			DetachInJob(cmd)
			return cmd.Start()
		}},
	}
}

var (
	kernel          = windows.NewLazySystemDLL("kernel32.dll")
	isProcessInJob  = kernel.NewProc("IsProcessInJob")
	freeConsole     = kernel.NewProc("FreeConsole")
	ntResumeProcess = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")
)

// startOutside starts a command outside of all jobs. It also fails if jobs are nested and
// the command can leave only the inner job.
func startOutside(cmd *exec.Cmd) error {
	Detach(cmd)
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_SUSPENDED
	if err := cmd.Start(); err != nil {
		return err
	}
	var failed error
	err := cmd.Process.WithHandle(func(handle uintptr) {
		var inJob int32
		if ok, _, err := isProcessInJob.Call(handle, 0, uintptr(unsafe.Pointer(&inJob))); ok == 0 {
			failed = fmt.Errorf("find the job: %w", err)
		} else if inJob != 0 {
			failed = errors.New("a job holds the process")
		} else if status, _, _ := ntResumeProcess.Call(handle); status != 0 {
			failed = fmt.Errorf("resume: %w", windows.NTStatus(status))
		}
	})
	if err = errors.Join(err, failed); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	}
	return err
}

// startBelowShell starts a command as a child of the program that shows the
// taskbar, which is in no job.
func startBelowShell(cmd *exec.Cmd) error {
	shell := windows.GetShellWindow()
	if shell == 0 {
		return errors.New("no desktop is running")
	}
	var pid uint32
	if _, err := windows.GetWindowThreadProcessId(shell, &pid); err != nil {
		return fmt.Errorf("find the desktop's process: %w", err)
	}
	return startBelow(pid, cmd)
}

// startBelow starts a command as a child of another process of the same user. The
// command gets the rights and the job of that process.
func startBelow(pid uint32, cmd *exec.Cmd) error {
	parent, err := windows.OpenProcess(windows.PROCESS_CREATE_PROCESS|windows.PROCESS_DUP_HANDLE|windows.PROCESS_QUERY_LIMITED_INFORMATION,
		false, pid)
	if err != nil {
		return fmt.Errorf("open process %d: %w", pid, err)
	}
	defer func() { _ = windows.CloseHandle(parent) }()
	if err := sameUser(parent); err != nil {
		return err
	}
	DetachInJob(cmd)
	cmd.SysProcAttr.ParentProcess = syscall.Handle(parent)
	return cmd.Start()
}

// sameUser returns an error unless a process belongs to the user of this one.
func sameUser(other windows.Handle) error {
	var token windows.Token
	if err := windows.OpenProcessToken(other, windows.TOKEN_QUERY, &token); err != nil {
		return fmt.Errorf("open token: %w", err)
	}
	defer func() { _ = token.Close() }()
	theirs, err := token.GetTokenUser()
	if err != nil {
		return fmt.Errorf("read user: %w", err)
	}
	own, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return fmt.Errorf("read user: %w", err)
	}
	if !windows.EqualSid(theirs.User.Sid, own.User.Sid) {
		return errors.New("the desktop belongs to another user")
	}
	return nil
}

// LeaveConsole detaches this process from its console. Windows closes a console that no other process uses.
func LeaveConsole() { _, _, _ = freeConsole.Call() } // fails if the process has no console
