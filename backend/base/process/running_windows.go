package process

import (
	"context"
	"strings"

	"golang.org/x/sys/windows"
)

// programs lists all running programs. Programs of other users have a name but no path.
func programs(context.Context) []program {
	var list []program
	eachProcess(func(entry *windows.ProcessEntry32) {
		list = append(list, program{windows.UTF16ToString(entry.ExeFile[:]), imageOf(entry.ProcessID)})
	})
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
