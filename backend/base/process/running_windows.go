package process

import (
	"context"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// programs lists all running programs. Those of other users have only a name.
func programs(context.Context) []program {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = windows.CloseHandle(snapshot) }()
	var list []program
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		list = append(list, program{windows.UTF16ToString(entry.ExeFile[:]), imageOf(entry.ProcessID)})
	}
	return list
}

func imageOf(pid uint32) string {
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return ""
	}
	defer func() { _ = windows.CloseHandle(handle) }()
	name := make([]uint16, windows.MAX_LONG_PATH)
	size := uint32(len(name))
	if windows.QueryFullProcessImageName(handle, 0, &name[0], &size) != nil {
		return ""
	}
	return strings.ReplaceAll(windows.UTF16ToString(name[:size]), `\`, "/")
}
