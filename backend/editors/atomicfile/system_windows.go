package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// writable reports whether a file lacks the read-only attribute. It is true for every folder, because the attribute
// has another meaning there.
func writable(info fs.FileInfo) bool { return info.IsDir() || info.Mode()&0o200 != 0 }

// ownedByOther returns false: on Windows the access list of a file, which keepAttributes copies, decides who may use
// the file, not its owner.
func ownedByOther(fs.FileInfo) bool { return false }

// hardLinks returns the number of hard links of a file; 1 if that is unknown.
func hardLinks(path string, _ fs.FileInfo) uint64 {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 1
	}
	handle, err := windows.CreateFile(name, windows.FILE_READ_ATTRIBUTES,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		return 1
	}
	defer func() { _ = windows.CloseHandle(handle) }()
	var info windows.ByHandleFileInformation
	if windows.GetFileInformationByHandle(handle, &info) != nil {
		return 1
	}
	return uint64(info.NumberOfLinks)
}

func inode(fs.FileInfo) uint64 { return 0 }

func keepOwner(*os.File, fs.FileInfo, string) error { return nil }

func inheritOwner(string) error { return nil }

// keptAttributes are the file attributes that keepAttributes copies.
const keptAttributes = windows.FILE_ATTRIBUTE_HIDDEN | windows.FILE_ATTRIBUTE_SYSTEM | windows.FILE_ATTRIBUTE_ARCHIVE |
	windows.FILE_ATTRIBUTE_NOT_CONTENT_INDEXED

// keepAttributes gives a new file the attributes and the access list of an old
// one.
func keepAttributes(f *os.File, old string) error {
	from, err := windows.UTF16PtrFromString(old)
	if err != nil {
		return err
	}
	to, err := windows.UTF16PtrFromString(f.Name())
	if err != nil {
		return err
	}
	attributes, err := windows.GetFileAttributes(from)
	if err != nil {
		return fmt.Errorf("read the attributes of the file: %w", err)
	}
	if kept := attributes & keptAttributes; kept != 0 {
		if err := windows.SetFileAttributes(to, kept); err != nil {
			return fmt.Errorf("keep the attributes of the file: %w", err)
		}
	}
	return keepAccess(f.Name(), old)
}

// keepAccess gives a new file the access list of an old one. It does nothing if the two lists are
// equal already, as they are if the new file has inherited the whole list.
func keepAccess(path, old string) error {
	was, err := windows.GetNamedSecurityInfo(old, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return nil // a file system without access lists
	}
	now, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil || now.String() == was.String() {
		return err
	}
	list, _, err := was.DACL()
	if err != nil {
		return nil // without a list there is nothing to keep
	}
	control, _, err := was.Control()
	if err != nil {
		return err
	}
	inherit := windows.SECURITY_INFORMATION(windows.UNPROTECTED_DACL_SECURITY_INFORMATION)
	if control&windows.SE_DACL_PROTECTED != 0 {
		inherit = windows.PROTECTED_DACL_SECURITY_INFORMATION
	}
	if err := windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT,
		windows.DACL_SECURITY_INFORMATION|inherit, nil, nil, list, nil); err != nil {
		return fmt.Errorf("keep the permissions of the file: %w", err)
	}
	return nil
}

func statusTime(fs.FileInfo) int64 { return 0 }

// exchangeFiles always returns errors.ErrUnsupported: Windows cannot exchange two files in one step.
func exchangeFiles(string, string) error { return errors.ErrUnsupported }

// LockFolder does nothing: Windows cannot lock a folder.
func LockFolder(context.Context, string) (unlock func()) { return func() {} }

// syncFolder does nothing: Windows cannot flush a folder, and NTFS journals a
// rename.
func (d Disk) syncFolder(string) error { return nil }
