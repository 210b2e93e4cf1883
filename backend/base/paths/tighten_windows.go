package paths

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"
)

// privateTo returns a descriptor that gives a user and the system full access to a
// folder and everything in it, and inherits nothing. Administrators get no access,
// although they can take it explicitly. Elevated programs of the user have access.
func privateTo(user *windows.SID) (*windows.SECURITY_DESCRIPTOR, error) {
	return windows.SecurityDescriptorFromString("D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;" + user.String() + ")")
}

func currentUser() (*windows.SID, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	return user.User.Sid.Copy()
}

// makePrivate creates a folder to which other users have no access, and its
// parents. A folder that exists is kept as it is.
func makePrivate(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	user, err := currentUser()
	if err != nil {
		return err
	}
	private, err := privateTo(user)
	if err != nil {
		return err
	}
	name, err := windows.UTF16PtrFromString(long(dir))
	if err != nil {
		return err
	}
	attributes := windows.SecurityAttributes{SecurityDescriptor: private}
	attributes.Length = uint32(unsafe.Sizeof(attributes))
	if err := windows.CreateDirectory(name, &attributes); err != nil {
		if info, bad := os.Stat(dir); bad == nil && info.IsDir() {
			return nil // another process was faster
		}
		return &os.PathError{Op: "mkdir", Path: dir, Err: err}
	}
	return nil
}

// tighten removes the access of other users to a folder, unless the folder belongs
// to another user or is the root of a disk. It does nothing on file systems without
// permissions.
func tighten(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil || abs == filepath.VolumeName(abs)+`\` || abs == filepath.VolumeName(abs) {
		return err
	}
	now, err := windows.GetNamedSecurityInfo(long(abs), windows.SE_FILE_OBJECT,
		windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return nil
	}
	user, err := currentUser()
	if err != nil || !ownedBy(now, user) || isPrivate(now, user) {
		return err
	}
	private, err := privateTo(user)
	if err != nil {
		return err
	}
	list, _, err := private.DACL()
	if err != nil {
		return err
	}
	err = windows.SetNamedSecurityInfo(long(abs), windows.SE_FILE_OBJECT,
		windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, list, nil)
	if err == nil {
		err = insist(abs, private, user)
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, windows.ERROR_NOT_SUPPORTED) || errors.Is(err, windows.ERROR_INVALID_FUNCTION) {
		return nil
	}
	return err
}

// insist sets the permissions of a folder, but not of its content, if other users
// still have access. Unlike SetNamedSecurityInfo, it never adds permissions of the parent.
func insist(dir string, private *windows.SECURITY_DESCRIPTOR, user *windows.SID) error {
	handle, err := openHandle(dir, windows.READ_CONTROL|windows.WRITE_DAC, windows.FILE_FLAG_BACKUP_SEMANTICS)
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(handle) }()
	now, err := windows.GetSecurityInfo(handle, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil || onlyFor(now, user) {
		return err
	}
	return windows.SetKernelObjectSecurity(handle, windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, private)
}

// ownedBy reports whether a folder belongs to a user, or to the administrators group
// if this process is a member: the group owns the folders that elevated programs create.
func ownedBy(descriptor *windows.SECURITY_DESCRIPTOR, user *windows.SID) bool {
	owner, _, err := descriptor.Owner()
	if err != nil || owner == nil {
		return false
	}
	if owner.Equals(user) {
		return true
	}
	member, err := windows.Token(0).IsMember(owner)
	return err == nil && member && owner.IsWellKnown(windows.WinBuiltinAdministratorsSid)
}

// isPrivate reports whether a folder inherits no permissions and gives access only
// to a user and the system.
func isPrivate(descriptor *windows.SECURITY_DESCRIPTOR, user *windows.SID) bool {
	control, _, err := descriptor.Control()
	return err == nil && control&windows.SE_DACL_PROTECTED != 0 && onlyFor(descriptor, user)
}

func onlyFor(descriptor *windows.SECURITY_DESCRIPTOR, user *windows.SID) bool {
	list, _, err := descriptor.DACL()
	if err != nil || list == nil { // without a list, everybody has access
		return false
	}
	for i := range uint32(list.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if windows.GetAce(list, i, &entry) != nil {
			return false
		}
		sid := (*windows.SID)(unsafe.Pointer(&entry.SidStart))
		if entry.Header.AceType != windows.ACCESS_DENIED_ACE_TYPE && !sid.Equals(user) && !sid.IsWellKnown(windows.WinLocalSystemSid) {
			return false
		}
	}
	return true
}
