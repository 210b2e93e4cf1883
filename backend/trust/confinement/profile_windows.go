package confinement

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	userenv       = windows.NewLazySystemDLL("userenv.dll")
	createProfile = userenv.NewProc("CreateAppContainerProfile")
	deleteProfile = userenv.NewProc("DeleteAppContainerProfile")
	deriveSID     = userenv.NewProc("DeriveAppContainerSidFromAppContainerName")
)

// alreadyExists is the HRESULT of CreateAppContainerProfile if the container exists.
const alreadyExists = 0x800700b7

// createContainer creates the app container with a name for this user, unless it exists, and returns its SID.
func createContainer(moniker string) (*windows.SID, error) {
	if err := createProfile.Find(); err != nil {
		return nil, err
	}
	name, err := windows.UTF16PtrFromString(moniker)
	if err != nil {
		return nil, err
	}
	title, err := windows.UTF16PtrFromString("Agent Discover")
	if err != nil {
		return nil, err
	}
	var sid *windows.SID
	status, _, _ := createProfile.Call(uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(title)), uintptr(unsafe.Pointer(title)), 0, 0,
		uintptr(unsafe.Pointer(&sid)))
	if uint32(status) == alreadyExists {
		return containerSID(moniker)
	}
	return copied(sid, uint32(status), "create the app container")
}

// containerSID returns the SID of the app container with a name, which need not exist.
func containerSID(moniker string) (*windows.SID, error) {
	if err := deriveSID.Find(); err != nil {
		return nil, err
	}
	name, err := windows.UTF16PtrFromString(moniker)
	if err != nil {
		return nil, err
	}
	var sid *windows.SID
	status, _, _ := deriveSID.Call(uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&sid)))
	return copied(sid, uint32(status), "name the app container")
}

// copied returns a copy of a SID that Windows has allocated, and frees it. status is the HRESULT of the call.
func copied(sid *windows.SID, status uint32, what string) (*windows.SID, error) {
	if int32(status) < 0 {
		return nil, fmt.Errorf("%s: error %#x", what, status)
	}
	defer func() { _ = windows.FreeSid(sid) }()
	return sid.Copy()
}

// deleteContainer deletes the app container with a name, if there is one.
func deleteContainer(moniker string) {
	if name, err := windows.UTF16PtrFromString(moniker); err == nil && deleteProfile.Find() == nil {
		_, _, _ = deleteProfile.Call(uintptr(unsafe.Pointer(name))) // fails if there is none
	}
}

// inContainer reports whether this process runs in an app container.
func inContainer() bool {
	const tokenIsAppContainer = 29
	var is, size uint32
	err := windows.GetTokenInformation(windows.GetCurrentProcessToken(), tokenIsAppContainer, (*byte)(unsafe.Pointer(&is)),
		uint32(unsafe.Sizeof(is)), &size)
	return err == nil && is != 0
}
