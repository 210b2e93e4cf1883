package confinement

import (
	"fmt"
	"strings"
	"testing"
)

func TestEachOwnFolderHasAContainerOfItsOwn(t *testing.T) {
	name := monikerOf(`C:\Users\Me\sandbox\notes`)
	if len(name) > 64 || !strings.HasPrefix(name, "agent-discover.") {
		t.Errorf("the name is %s", name)
	}
	for _, same := range []string{`c:\users\me\SANDBOX\notes`, `C:/Users/Me/sandbox/notes`, `C:\Users\Me\sandbox\notes\`} {
		if monikerOf(same) != name {
			t.Errorf("%s has another container", same)
		}
	}
	if monikerOf(`C:\Users\Me\sandbox\notes2`) == name {
		t.Error("two folders have the same container")
	}
}

func TestOnlyPathsOutsideOfTheSystemGetEntriesForAContainer(t *testing.T) {
	got := accessesOf([]area{
		{path: `C:\Windows`},
		{path: `c:\program files\nodejs`},
		{path: `C:\Program Files (x86)`},
		{path: `C:\Users\Me\tool`},
		{path: `C:\Users\Me\notes`},
		{path: `C:\Users\Me\projects`, list: true},
		{path: `C:\Program Files\tool\data`, write: true},
		{path: `C:\Users\me\NOTES`, write: true},
		{path: `C:\Users\Me\notes`},
	}, []string{`C:\WINDOWS`, `C:\Program Files`, ""})
	want := `[{C:\Program Files (x86) read} {C:\Users\Me\tool read} {C:\Users\Me\notes write} {C:\Users\Me\projects list} ` +
		`{C:\Program Files\tool\data write}]`
	if fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestAContainerLosesTheAccessThatItsPolicyNoLongerHas(t *testing.T) {
	before := []access{{`C:\a`, accessRead}, {`C:\b`, accessWrite}, {`C:\c`, accessRead}}
	now := []access{{`c:\A`, accessRead}, {`C:\b`, accessList}, {`C:\d`, accessWrite}}
	removed, added := changedAccess(before, now)
	if fmt.Sprint(removed) != `[C:\c]` || fmt.Sprint(added) != `[{C:\b list} {C:\d write}]` {
		t.Errorf("removed %v, added %v", removed, added)
	}
	if removed, added = changedAccess(before, nil); len(removed) != 3 || len(added) != 0 {
		t.Errorf("at the end, removed %v, added %v", removed, added)
	}
	if removed, added = changedAccess(now, now); len(removed)+len(added) > 0 {
		t.Errorf("without a change, removed %v, added %v", removed, added)
	}
}

func TestAPathOfWindowsIsBelowAFolderWhateverItsCase(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{`C:\`, `c:\x`}: true, {`C:\a`, `C:\A`}: true, {`C:\a`, `C:\ab`}: false, {`C:\a\`, `C:/a/b`}: true, {`C:\a\b`, `C:\a`}: false,
		{"", `C:\a`}: false,
	} {
		if belowOnWindows(pair[0], pair[1]) != want {
			t.Errorf("%q is below %q: %v", pair[1], pair[0], !want)
		}
	}
}

func TestAContainedProgramFindsItsOwnFoldersInPlaceOfTheUsers(t *testing.T) {
	got := Policy{Private: `D:\own\home`, Temporary: `D:\own\tmp`}.roamed()
	for name, want := range map[string]string{
		"USERPROFILE": `D:\own\home`, "HOMEDRIVE": "D:", "HOMEPATH": `\own\home`, "APPDATA": `D:\own\home\AppData\Roaming`,
		"LOCALAPPDATA": `D:\own\home\AppData\Local`, "TEMP": `D:\own\tmp`, "TMP": `D:\own\tmp`,
	} {
		if got[name] != want {
			t.Errorf("%s is %q", name, got[name])
		}
	}
}

func TestAnAppContainerIsTriedOnceAndOnlyWithAHelper(t *testing.T) {
	tries := 0
	a := &AppContainer{try: func() bool { tries++; return true }}
	if (Machine{OS: "windows", AppContainer: a}).Contained() || tries != 0 {
		t.Error("a machine without a helper has containers")
	}
	m := Machine{OS: "windows", AppContainer: a, Helper: []string{"x"}}
	for range 2 {
		if !m.Contained() {
			t.Error("a machine on which the trial succeeded has no containers")
		}
	}
	if tries != 1 {
		t.Errorf("it was tried %d times", tries)
	}
	if (Machine{OS: "windows", Helper: m.Helper}).Contained() {
		t.Error("a machine that cannot try has containers")
	}
}
