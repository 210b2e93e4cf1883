package autostart

import (
	"slices"
	"testing"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

func TestTheRunKeyStartsTheProgramAtLoginUntilItIsRemoved(t *testing.T) {
	entry := Tray(`C:\Program Files\Jörg & Co 100%\agent-discover-tray.exe`)
	entry.ID = "agent-discover-test" // do not change the entry of the user who runs the tests
	t.Cleanup(func() { _ = entry.Set(false) })
	expect := func(want bool) {
		t.Helper()
		if got, err := entry.On(); got != want || err != nil {
			t.Fatalf("On() = %v, %v, want %v", got, err, want)
		}
	}
	expect(false)
	for range 2 {
		if err := entry.Set(true); err != nil {
			t.Fatal(err)
		}
		expect(true)
	}
	run, err := registry.OpenKey(registry.CURRENT_USER, runKey, registry.QUERY_VALUE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = run.Close() }()
	// The type must not be REG_EXPAND_SZ, because Windows would then replace variables such as %NAME% in the path.
	value, kind, err := run.GetStringValue(entry.ID)
	if err != nil || kind != registry.SZ {
		t.Fatalf("got %q of type %d, %v", value, kind, err)
	}
	argv, err := windows.DecomposeCommandLine(value)
	if want := []string{entry.Program, Flag}; err != nil || !slices.Equal(argv, want) {
		t.Errorf("Windows runs %q, %v, want %q", argv, err, want)
	}

	approved, _, err := registry.CreateKey(registry.CURRENT_USER, approvedKey, registry.SET_VALUE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = approved.Close() }()
	if err := approved.SetBinaryValue(entry.ID, []byte{3, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}); err != nil {
		t.Fatal(err)
	}
	expect(false) // as after the user has disabled the entry in the system's settings
	if err := entry.Set(true); err != nil {
		t.Fatal(err)
	}
	expect(true)
	for range 2 {
		if err := entry.Set(false); err != nil {
			t.Fatal(err)
		}
		expect(false)
	}
}
