package process

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

var getProcessMemoryInfo = kernel.NewProc("K32GetProcessMemoryInfo")

// memoryCounters is PROCESS_MEMORY_COUNTERS_EX of the Windows API.
type memoryCounters struct {
	size, pageFaults                             uint32
	peakWorkingSet, workingSet                   uintptr
	peakPagedPool, pagedPool, peakNonPaged, pool uintptr
	pagefile, peakPagefile, private              uintptr
}

// familiesOf maps the pid of each running process in roots to the pids of that process and of its descendants.
func familiesOf(roots []int) map[int][]int {
	families := make(map[int][]int)
	for _, root := range roots {
		if _, runs := createdAt(uint32(root)); !runs {
			continue
		}
		for _, pid := range descendants(uint32(root)) {
			families[root] = append(families[root], int(pid))
		}
	}
	return families
}

// privateBytes returns for each process how much memory it does not share with other processes.
func privateBytes(pids []int) map[int]uint64 {
	bytes := make(map[int]uint64)
	for _, pid := range pids {
		process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
		if err != nil {
			continue // it has ended
		}
		var counters memoryCounters
		counters.size = uint32(unsafe.Sizeof(counters))
		if ok, _, _ := getProcessMemoryInfo.Call(uintptr(process), uintptr(unsafe.Pointer(&counters)), uintptr(counters.size)); ok != 0 {
			bytes[pid] = uint64(max(counters.private, counters.pagefile)) // equal in Windows; wine fills in the second only
		}
		_ = windows.CloseHandle(process)
	}
	return bytes
}
