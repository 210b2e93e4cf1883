package paths

import (
	"errors"
	"hash/maphash"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

// shareAll lets other programs do everything with a file that this one has open.
const shareAll = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE

// InUse reports whether an operation failed because a program has the file open
// and did not allow the operation. Access to a removed file that is still open
// also fails with ERROR_ACCESS_DENIED, and so does the replacement of an open file
// on some file systems.
func InUse(err error) bool {
	return sharing(err) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
}

// sharing reports whether an operation failed because a program has opened or locked
// the file in a way that forbids the operation.
func sharing(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}

// openShared opens a file for reading. os.Open does not set FILE_SHARE_DELETE.
func openShared(path string) (*os.File, error) {
	handle, err := openHandle(path, windows.GENERIC_READ, windows.FILE_ATTRIBUTE_NORMAL)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}

// gates let Rename lock out readShared in this process, because overlapping reads
// could otherwise keep a file open all the time. gate maps each path to one of them;
// with many gates, a read from a slow disk delays few operations on other paths.
var (
	gates [64]sync.RWMutex
	seed  = maphash.MakeSeed()
)

func gate(path string) *sync.RWMutex {
	return &gates[maphash.String(seed, strings.ToLower(filepath.Clean(path)))%uint64(len(gates))]
}

// readShared reads a file like os.ReadFile, but has it open only for the few calls
// that are necessary.
func readShared(path string) (data []byte, err error) {
	gate := gate(path)
	gate.RLock()
	defer gate.RUnlock()
	handle, err := openHandle(path, windows.GENERIC_READ, windows.FILE_ATTRIBUTE_NORMAL)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer func() { _ = windows.CloseHandle(handle) }()
	for data = make([]byte, 0, 64<<10); ; {
		if len(data) == cap(data) {
			data = slices.Grow(data, cap(data))
		}
		var n uint32
		err := windows.ReadFile(handle, data[len(data):min(cap(data), len(data)+1<<24)], &n, nil)
		if errors.Is(err, windows.ERROR_HANDLE_EOF) || err == nil && n == 0 {
			return data, nil
		}
		if err != nil {
			return nil, &os.PathError{Op: "read", Path: path, Err: err}
		}
		data = data[:len(data)+int(n)]
	}
}

// OpenUnwritable opens a file for reading so that no program can open it for
// writing meanwhile. It fails if a program already has it open for writing.
func OpenUnwritable(path string) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(long(path))
	if err != nil {
		return nil, err
	}
	handle, err := windows.CreateFile(name, windows.GENERIC_READ, windows.FILE_SHARE_READ|windows.FILE_SHARE_DELETE, nil,
		windows.OPEN_EXISTING, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}

// openHandle opens an existing file or, with FILE_FLAG_BACKUP_SEMANTICS, folder.
func openHandle(path string, access, flags uint32) (windows.Handle, error) {
	name, err := windows.UTF16PtrFromString(long(path))
	if err != nil {
		return 0, err
	}
	return windows.CreateFile(name, access, shareAll, nil, windows.OPEN_EXISTING, flags, 0)
}

// Rename is Replace without waiting.
func Rename(from, to string) error {
	if renamePosix(from, to) == nil {
		return nil
	}
	gate := gate(to)
	gate.Lock()
	defer gate.Unlock()
	return os.Rename(from, to) // for file systems without POSIX renames, and to get an error for the caller
}

// renameInfo is FILE_RENAME_INFO.
type renameInfo struct {
	flags  uint32
	root   windows.Handle
	length uint32 // of name in bytes
	name   [1]uint16
}

// renamePosix renames a file so that programs which have the replaced file open
// with FILE_SHARE_DELETE keep reading it. os.Rename cannot replace an open file.
func renamePosix(from, to string) error {
	to, err := filepath.Abs(to)
	if err != nil {
		return err
	}
	name, err := windows.UTF16FromString(long(to))
	if err != nil {
		return err
	}
	handle, err := openHandle(from, windows.DELETE|windows.SYNCHRONIZE,
		windows.FILE_FLAG_OPEN_REPARSE_POINT|windows.FILE_FLAG_BACKUP_SEMANTICS)
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(handle) }()
	at := unsafe.Offsetof(renameInfo{}.name)
	buffer := make([]uint64, (int(at)+2*len(name)+7)/8+1) // aligned like renameInfo
	info := (*renameInfo)(unsafe.Pointer(&buffer[0]))
	info.flags = windows.FILE_RENAME_REPLACE_IF_EXISTS | windows.FILE_RENAME_POSIX_SEMANTICS
	info.length = uint32(2 * (len(name) - 1))
	copy(unsafe.Slice((*uint16)(unsafe.Add(unsafe.Pointer(info), at)), len(name)), name)
	return windows.SetFileInformationByHandle(handle, windows.FileRenameInfoEx, (*byte)(unsafe.Pointer(info)), uint32(8*len(buffer)))
}

// maxShort is the longest path that every function of Windows accepts as it is.
const maxShort = 247

// long returns a path in the form that may have more than 260 characters. The os
// package does the same for its own calls.
func long(path string) string {
	if len(path) <= maxShort || len(path) > 4 && (path[:4] == `\\?\` || path[:4] == `\\.\`) {
		return path
	}
	abs, err := filepath.Abs(path)
	switch {
	case err != nil:
		return path
	case len(abs) > 2 && abs[:2] == `\\`:
		return `\\?\UNC` + abs[1:]
	}
	return `\\?\` + abs
}
