package process

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// endTree ends a process and its descendants. A descendant may start another process in
// the meantime, so endTree searches again until it finds no new descendant.
func endTree(root int) {
	ended := make(map[uint32]bool)
	for range 10 {
		found := false
		for _, pid := range descendants(uint32(root)) {
			if !ended[pid] {
				ended[pid], found = true, true
				end(pid)
			}
		}
		if !found {
			return
		}
	}
}

func end(pid uint32) {
	process, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return // it has ended
	}
	_ = windows.TerminateProcess(process, 1) // fails if it has ended
	_ = windows.CloseHandle(process)
}

// descendants returns a process and all that descend from it, parents first. A process
// that is older than the process with its parent's pid is no child: the pid was reused.
func descendants(root uint32) []uint32 {
	found := []uint32{root}
	children := make(map[uint32][]uint32)
	eachProcess(func(entry *windows.ProcessEntry32) {
		children[entry.ParentProcessID] = append(children[entry.ParentProcessID], entry.ProcessID)
	})
	for i := 0; i < len(found); i++ {
		parent, known := createdAt(found[i])
		for _, child := range children[found[i]] {
			if created, ok := createdAt(child); child != 0 && child != found[i] && (!known || !ok || created >= parent) {
				found = append(found, child)
			}
		}
		delete(children, found[i]) // in case of a circle of reused pids
	}
	return found
}

// createdAt returns when a process was created, in nanoseconds.
func createdAt(pid uint32) (at int64, ok bool) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return 0, false
	}
	defer func() { _ = windows.CloseHandle(process) }()
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(process, &created, &exited, &kernel, &user) != nil {
		return 0, false
	}
	return created.Nanoseconds(), true
}

// eachProcess calls visit for each process of the system.
func eachProcess(visit func(*windows.ProcessEntry32)) {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return
	}
	defer func() { _ = windows.CloseHandle(snapshot) }()
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		visit(&entry)
	}
}
