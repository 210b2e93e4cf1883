package links

import (
	"slices"
	"testing"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

func TestTheWindowIsRegisteredForAddressesAndRemovedAgain(t *testing.T) {
	const scheme = "agentdiscover-test" // do not change the scheme of the user who runs the tests
	program := `C:\Program Files\Jörg & Co\agent-discover-desktop.exe`
	for range 2 {
		if err := register(scheme, program); err != nil {
			t.Fatal(err)
		}
	}
	read := func() string {
		key, err := registry.OpenKey(registry.CURRENT_USER, classes+scheme+`\shell\open\command`, registry.QUERY_VALUE)
		if err != nil {
			return ""
		}
		defer func() { _ = key.Close() }()
		value, _, err := key.GetStringValue("")
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	argv, err := windows.DecomposeCommandLine(read())
	if want := []string{program, "--link", "%1"}; err != nil || !slices.Equal(argv, want) {
		t.Errorf("got %q, %v, want %q", argv, err, want)
	}
	key, err := registry.OpenKey(registry.CURRENT_USER, classes+scheme, registry.QUERY_VALUE)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := key.GetStringValue("URL Protocol"); err != nil {
		t.Errorf("the key is not that of a scheme: %v", err)
	}
	_ = key.Close()
	if err := unregister(scheme, `C:\other.exe`); err != nil || read() == "" {
		t.Errorf("another program removed the entry: %v", err)
	}
	for range 2 {
		if err := unregister(scheme, program); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := registry.OpenKey(registry.CURRENT_USER, classes+scheme, registry.QUERY_VALUE); err != registry.ErrNotExist {
		t.Errorf("the key is left: %v", err)
	}
}
