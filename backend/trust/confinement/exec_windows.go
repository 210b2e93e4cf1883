package confinement

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// exitNotConfined is the exit status of a helper that could not start the program.
const exitNotConfined = 126

// Exec starts the program that the spec in a file names in an app container, waits for its end, and returns its exit
// status. For a failure it has written the reason to standard error. It is called first thing in main.
func Exec() (status int) {
	if os.Args[1] == trialCommand {
		return tryOut(os.Args[2])
	}
	status, err := execute(os.Args[2])
	if err != nil {
		fmt.Fprintf(os.Stderr, "agent-discover: the server was not started, because it could not be confined: %v\n", err)
		return exitNotConfined
	}
	return status
}

// execute does the work of Exec.
func execute(path string) (status int, err error) {
	c, err := readSpec(path)
	if err != nil {
		return 0, err
	}
	sid, err := createContainer(c.Moniker)
	if err != nil {
		return 0, err
	}
	err = permit(sid, c.Record, c.Access, func(path string, err error) {
		fmt.Fprintf(os.Stderr, "agent-discover: the server has no access to %s: %v\n", path, err)
	})
	if err != nil {
		return 0, err
	}
	job, err := newJob()
	if err != nil {
		return 0, err
	}
	process, err := startIn(sid, job, c)
	if err != nil {
		return 0, fmt.Errorf("start %s: %w", c.Path, err)
	}
	// The hub notices when the program closes its output, and the program when the hub closes its input.
	_, _ = os.Stdin.Close(), os.Stdout.Close()
	if _, err := windows.WaitForSingleObject(process, windows.INFINITE); err != nil {
		return 0, err
	}
	var code uint32
	if err := windows.GetExitCodeProcess(process, &code); err != nil {
		return 0, err
	}
	return int(code), nil
}

// newJob returns the job for the program. Windows ends the processes in it when this process ends.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("create a job: %w", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{JobMemoryLimit: jobMemory}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_JOB_MEMORY |
		windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS
	limits.BasicLimitInformation.ActiveProcessLimit = jobProcesses
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)),
		uint32(unsafe.Sizeof(limits))); err != nil {
		return 0, fmt.Errorf("limit the job: %w", err)
	}
	return job, nil
}

// securityCapabilities is SECURITY_CAPABILITIES of Windows.
type securityCapabilities struct {
	container    *windows.SID
	capabilities *windows.SIDAndAttributes
	count        uint32
	_            uint32
}

// Attributes of a process that package windows does not name.
const (
	attributeSecurityCapabilities = 0x00020009
	groupEnabled                  = 4 // SE_GROUP_ENABLED
)

// networkCapabilities are the SIDs of internetClient and privateNetworkClientServer: connections to the internet and to
// machines of the local network.
var networkCapabilities = []string{"S-1-15-3-1", "S-1-15-3-3"}

// capabilitiesOf returns the capabilities of a container.
func capabilitiesOf(sid *windows.SID, network bool) (*securityCapabilities, error) {
	caps := &securityCapabilities{container: sid}
	if !network {
		return caps, nil
	}
	var list []windows.SIDAndAttributes
	for _, text := range networkCapabilities {
		capability, err := windows.StringToSid(text)
		if err != nil {
			return nil, fmt.Errorf("name the network: %w", err)
		}
		list = append(list, windows.SIDAndAttributes{Sid: capability, Attributes: groupEnabled})
	}
	caps.capabilities, caps.count = &list[0], uint32(len(list))
	return caps, nil
}

// standardHandles returns the standard handles of this process, which the program inherits.
func standardHandles() (all [3]windows.Handle, inherited []windows.Handle) {
	for n, which := range []uint32{windows.STD_INPUT_HANDLE, windows.STD_OUTPUT_HANDLE, windows.STD_ERROR_HANDLE} {
		const inherit = windows.HANDLE_FLAG_INHERIT
		handle, err := windows.GetStdHandle(which)
		if err != nil || handle == 0 || windows.SetHandleInformation(handle, inherit, inherit) != nil {
			continue
		}
		if all[n] = handle; !slices.Contains(inherited, handle) {
			inherited = append(inherited, handle)
		}
	}
	return all, inherited
}

// startIn starts the program in an app container and a job. It inherits the standard handles of this process and no other.
func startIn(sid *windows.SID, job windows.Handle, c contained) (windows.Handle, error) {
	caps, err := capabilitiesOf(sid, c.Network)
	if err != nil {
		return 0, err
	}
	attributes, err := windows.NewProcThreadAttributeList(2)
	if err != nil {
		return 0, err
	}
	defer attributes.Delete()
	if err := attributes.Update(attributeSecurityCapabilities, unsafe.Pointer(caps), unsafe.Sizeof(*caps)); err != nil {
		return 0, err
	}
	std, inherited := standardHandles()
	if len(inherited) > 0 {
		size := uintptr(len(inherited)) * unsafe.Sizeof(inherited[0])
		if err := attributes.Update(windows.PROC_THREAD_ATTRIBUTE_HANDLE_LIST, unsafe.Pointer(&inherited[0]), size); err != nil {
			return 0, err
		}
	}
	info := windows.StartupInfoEx{ProcThreadAttributeList: attributes.List()}
	info.Cb = uint32(unsafe.Sizeof(info))
	info.Flags = windows.STARTF_USESTDHANDLES
	info.StdInput, info.StdOutput, info.StdErr = std[0], std[1], std[2]
	var names [3]*uint16 // of the program, its command line and its folder
	for n, text := range []string{c.Path, c.Line, c.Dir} {
		if names[n], err = windows.UTF16PtrFromString(text); err != nil {
			return 0, err
		}
	}
	env, err := block(c.Env)
	if err != nil {
		return 0, err
	}
	var started windows.ProcessInformation
	err = windows.CreateProcess(names[0], names[1], nil, nil, len(inherited) > 0, windows.CREATE_SUSPENDED|windows.CREATE_NO_WINDOW|
		windows.CREATE_UNICODE_ENVIRONMENT|windows.EXTENDED_STARTUPINFO_PRESENT, &env[0], names[2], &info.StartupInfo, &started)
	if err != nil {
		return 0, err
	}
	defer func() { _ = windows.CloseHandle(started.Thread) }()
	err = windows.AssignProcessToJobObject(job, started.Process)
	if err == nil {
		_, err = windows.ResumeThread(started.Thread)
	}
	if err != nil {
		_ = windows.TerminateProcess(started.Process, 1) // it has not run yet
		return 0, err
	}
	return started.Process, nil
}

// block returns an environment in the form that CreateProcess takes, which is sorted.
func block(env [][]byte) ([]uint16, error) {
	var variables []string
	for _, variable := range env {
		variables = append(variables, string(variable))
	}
	slices.SortStableFunc(variables, func(a, b string) int { return strings.Compare(strings.ToUpper(a), strings.ToUpper(b)) })
	var out []uint16
	for _, variable := range variables {
		text, err := syscall.UTF16FromString(variable) // with the final zero
		if err != nil {
			return nil, fmt.Errorf("environment: %w", err)
		}
		out = append(out, text...)
	}
	if len(out) == 0 {
		out = append(out, 0)
	}
	return append(out, 0), nil
}
