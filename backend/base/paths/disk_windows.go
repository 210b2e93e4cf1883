package paths

import (
	"errors"

	"golang.org/x/sys/windows"
)

func noSpace(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

func readOnly(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }

// freeSpace returns how many bytes this user may still write to the disk of a
// folder.
func freeSpace(dir string) (free uint64, err error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	return free, err
}
