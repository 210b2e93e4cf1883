package confinement

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Rights of the kinds of access.
const (
	rightsRead  = windows.FILE_GENERIC_READ | windows.FILE_GENERIC_EXECUTE
	rightsWrite = rightsRead | windows.FILE_GENERIC_WRITE | windows.DELETE
	rightsList  = windows.FILE_LIST_DIRECTORY | windows.FILE_READ_ATTRIBUTES | windows.SYNCHRONIZE
)

// errMoved says that a path leads elsewhere than to itself.
var errMoved = errors.New("a link leads elsewhere")

// permit makes the access lists of files give a container what now lists, and no longer what a record lists besides. What
// cannot be given is reported with report, because the container then has less access than it may have.
func permit(sid *windows.SID, record string, now []access, report func(path string, err error)) error {
	before, err := readRecord(record)
	if err != nil {
		return err
	}
	removed, added := changedAccess(before, now)
	if err := writeRecord(record, append(slices.Clone(before), added...)); err != nil { // this process may end at any moment
		return err
	}
	for _, path := range removed {
		if err := revoke(path, sid); err != nil && !gone(err) {
			return fmt.Errorf("take the access to %s from the container: %w", path, err)
		}
	}
	for _, a := range now {
		switch err := grant(a, sid, slices.Contains(added, a)); {
		case err == nil, errors.Is(err, windows.ERROR_FILE_NOT_FOUND), errors.Is(err, windows.ERROR_PATH_NOT_FOUND):
		case slices.ContainsFunc(before, func(b access) bool { return spelled(b.Path) == spelled(a.Path) && b.Kind != a.Kind }):
			return fmt.Errorf("change the access of the container to %s: %w", a.Path, err)
		default:
			report(a.Path, err)
		}
	}
	return writeRecord(record, now)
}

// gone reports whether an error says that there is nothing at a path, or that a link there leads elsewhere.
func gone(err error) bool {
	return errors.Is(err, windows.ERROR_FILE_NOT_FOUND) || errors.Is(err, windows.ERROR_PATH_NOT_FOUND) || errors.Is(err, errMoved)
}

// grant gives a container access to a path. Without always, it changes nothing if the container has an entry already.
func grant(a access, sid *windows.SID, always bool) error {
	return withPath(a.Path, func(folder bool) error {
		var rights windows.ACCESS_MASK = rightsRead
		var inherit uint32 = windows.NO_INHERITANCE
		if folder && a.Kind != accessList {
			inherit = windows.SUB_CONTAINERS_AND_OBJECTS_INHERIT
		}
		switch a.Kind {
		case accessWrite:
			rights = rightsWrite
		case accessList:
			rights = rightsList
		}
		return change(a.Path, always, windows.EXPLICIT_ACCESS{
			AccessPermissions: rights, AccessMode: windows.SET_ACCESS, Inheritance: inherit, Trustee: trustee(sid),
		}, sid)
	})
}

// revoke removes the entries of a container from the access list of a path.
func revoke(path string, sid *windows.SID) error {
	return withPath(path, func(bool) error {
		return change(path, true, windows.EXPLICIT_ACCESS{AccessMode: windows.REVOKE_ACCESS, Trustee: trustee(sid)}, sid)
	})
}

func trustee(sid *windows.SID) windows.TRUSTEE {
	return windows.TRUSTEE{
		TrusteeForm: windows.TRUSTEE_IS_SID, TrusteeType: windows.TRUSTEE_IS_UNKNOWN, TrusteeValue: windows.TrusteeValueFromSID(sid),
	}
}

// change merges an entry for a container into the access list of a path.
func change(path string, always bool, entry windows.EXPLICIT_ACCESS, sid *windows.SID) error {
	now, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return err
	}
	if now == nil {
		return errors.New("it has no access list")
	}
	list, _, err := now.DACL()
	if err != nil {
		return err
	}
	if list == nil { // an entry would take all access from everybody else
		return errors.New("everybody has access to it, and it has no list")
	}
	if !always && hasEntry(list, sid) {
		return nil
	}
	merged, err := windows.ACLFromEntries([]windows.EXPLICIT_ACCESS{entry}, list)
	if err != nil {
		return err
	}
	return windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION, nil, nil, merged, nil)
}

// hasEntry reports whether a list itself, and not only the one of a folder above, has an entry for a container.
func hasEntry(list *windows.ACL, sid *windows.SID) bool {
	for n := range uint32(list.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if windows.GetAce(list, n, &entry) != nil || entry.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE ||
			entry.Header.AceFlags&windows.INHERITED_ACE != 0 {
			continue
		}
		if windows.EqualSid((*windows.SID)(unsafe.Pointer(&entry.SidStart)), sid) {
			return true
		}
	}
	return false
}

// withPath calls act while nobody can replace the file or folder at a path, or one above it, by a link. Otherwise a server
// could lead this process, which has all rights of the user, to another file. It fails if a link leads elsewhere.
func withPath(path string, act func(folder bool) error) error {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return err
	}
	attributes, err := windows.GetFileAttributes(name)
	if err != nil {
		return err
	}
	folder := attributes&windows.FILE_ATTRIBUTE_DIRECTORY != 0
	var share uint32 = windows.FILE_SHARE_READ
	if !folder { // a folder that somebody may write could become a link
		share |= windows.FILE_SHARE_WRITE
	}
	handle, err := windows.CreateFile(name, windows.READ_CONTROL|windows.FILE_READ_ATTRIBUTES|windows.FILE_READ_DATA, share, nil,
		windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(handle) }()
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(handle, &info); err != nil {
		return err
	}
	final, err := finalPath(handle)
	if err != nil {
		return err
	}
	if info.FileAttributes&windows.FILE_ATTRIBUTE_REPARSE_POINT != 0 || spelled(final) != spelled(path) {
		return errMoved
	}
	return act(info.FileAttributes&windows.FILE_ATTRIBUTE_DIRECTORY != 0)
}

// finalPath returns the path of an open file without links.
func finalPath(handle windows.Handle) (string, error) {
	name := make([]uint16, windows.MAX_LONG_PATH)
	n, err := windows.GetFinalPathNameByHandle(handle, &name[0], uint32(len(name)), 0)
	if err != nil {
		return "", err
	}
	if int(n) > len(name) {
		return "", windows.ERROR_INSUFFICIENT_BUFFER
	}
	path := windows.UTF16ToString(name[:n])
	if share, ok := strings.CutPrefix(path, `\\?\UNC\`); ok {
		return `\\` + share, nil
	}
	return strings.TrimPrefix(path, `\\?\`), nil
}
