package paths

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/windows"
)

func TestOnlyTheUserAndTheSystemMayOpenTheDataFolder(t *testing.T) {
	user, err := currentUser()
	if err != nil {
		t.Fatal(err)
	}
	fresh, open := Folder(filepath.Join(t.TempDir(), "Jörg Müller")), Folder(t.TempDir())
	everybody, err := windows.SecurityDescriptorFromString("D:(A;OICI;FA;;;WD)")
	if err != nil {
		t.Fatal(err)
	}
	list, _, _ := everybody.DACL()
	if err := windows.SetNamedSecurityInfo(string(open), windows.SE_FILE_OBJECT,
		windows.DACL_SECURITY_INFORMATION, nil, nil, list, nil); err != nil {
		t.Fatal(err)
	}
	if permissions(t, string(open), user) {
		t.Skip("this system does not keep permissions")
	}
	for _, folder := range []Folder{fresh, open} {
		if err := folder.Create(); err != nil {
			t.Fatal(err)
		}
		secret := folder.Run("hub.json")
		if err := WriteFile(secret, []byte("token")); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(folder.Backups("editors"), 0o700); err != nil {
			t.Fatal(err)
		}
		names := []string{string(folder), filepath.Dir(secret), filepath.Dir(folder.Log())}
		if windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() != nil { // wine inherits no permissions
			names = append(names, secret, folder.Backups("editors"))
		}
		for _, name := range names {
			if !permissions(t, name, user) {
				t.Errorf("others have access to %s", name)
			}
		}
	}
}

// permissions reports whether only the user and the system have access to a file.
func permissions(t *testing.T, name string, user *windows.SID) bool {
	t.Helper()
	descriptor, err := windows.GetNamedSecurityInfo(name, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(name, descriptor)
	return onlyFor(descriptor, user)
}

func TestADescriptorIsPrivateOnlyIfItIsProtectedAndNamesNobodyElse(t *testing.T) {
	user, err := currentUser()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;" + user.String() + ")":                 true,
		"D:(A;OICI;FA;;;SY)(A;OICI;FA;;;" + user.String() + ")":                  false,
		"D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;" + user.String() + ")": false,
		"D:P(A;OICI;FR;;;WD)(A;OICI;FA;;;" + user.String() + ")":                 false,
		"D:P(D;OICI;FR;;;WD)(A;OICI;FA;;;" + user.String() + ")":                 true,
		"D:NO_ACCESS_CONTROL": false,
	} {
		descriptor, err := windows.SecurityDescriptorFromString(text)
		if err != nil {
			t.Logf("%s: %v", text, err)
			continue
		}
		if got := isPrivate(descriptor, user); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}
