package confinement

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
)

// AppContainer starts processes in app containers of Windows: a process in one has access only to the files that name
// its container, or all containers as the folders of the system do, and reaches no address of this machine.
type AppContainer struct {
	once  sync.Once
	works bool
	try   func() bool
}

// TriedAppContainer returns an AppContainer that reports whether it works without a trial run, for tests of reports.
func TriedAppContainer(works bool) *AppContainer {
	return &AppContainer{try: func() bool { return works }}
}

// Works reports whether app containers confine processes here. The first call tries it.
func (a *AppContainer) Works() bool {
	if a == nil {
		return false
	}
	a.once.Do(func() { a.works = a.try() })
	return a.works
}

// Contained reports whether a confined process gets an app container of Windows.
func (m Machine) Contained() bool { return len(m.Helper) > 0 && m.AppContainer.Works() }

// monikerOf returns the name of the app container of a server, whose own folder is folder. Windows does not tell upper
// from lower case in paths, and limits names of containers to 64 characters.
func monikerOf(folder string) string {
	sum := sha256.Sum256([]byte(spelled(folder)))
	return "agent-discover." + hex.EncodeToString(sum[:])[:48]
}

// spelled returns a path of Windows in the spelling by which paths are compared.
func spelled(path string) string {
	path = strings.ToLower(strings.ReplaceAll(path, "/", `\`))
	if len(path) > len(`c:\`) {
		path = strings.TrimSuffix(path, `\`)
	}
	return path
}

// Kinds of access that a container is given to a path.
const (
	accessRead  = "read"  // to it and everything in it
	accessWrite = "write" // as accessRead, and to change it
	accessList  = "list"  // to the names in a folder
)

// access is what the access list of a path gives a container.
type access struct {
	Path string `json:"path"`
	Kind string `json:"kind"`
}

// accessesOf returns what the access lists of the paths of areas have to give a container. A path has one entry, which is
// the one with the most rights. In the folders of the system, containers read everything that every user may read.
func accessesOf(areas []area, system []string) (out []access) {
	at := make(map[string]int)
	rank := []string{accessList, accessRead, accessWrite}
	for _, a := range areas {
		kind := accessRead
		switch {
		case a.list:
			kind = accessList
		case a.write:
			kind = accessWrite
		}
		if kind != accessWrite && slices.ContainsFunc(system, func(folder string) bool { return belowOnWindows(folder, a.path) }) {
			continue
		}
		n, found := at[spelled(a.path)]
		switch {
		case !found:
			at[spelled(a.path)] = len(out)
			out = append(out, access{a.path, kind})
		case slices.Index(rank, kind) > slices.Index(rank, out[n].Kind):
			out[n].Kind = kind
		}
	}
	return out
}

// belowOnWindows is Within for paths of Windows.
func belowOnWindows(folder, path string) bool {
	folder, path = spelled(folder), spelled(path)
	return folder != "" && (path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, `\`)+`\`))
}

// changedAccess returns the paths of before that are not in now, and the members of now that are not in before as they
// are. A path whose kind of access has changed is only in added, because its entry is replaced.
func changedAccess(before, now []access) (removed []string, added []access) {
	at := func(list []access, path string) int {
		return slices.IndexFunc(list, func(a access) bool { return spelled(a.Path) == spelled(path) })
	}
	for _, a := range before {
		if at(now, a.Path) < 0 {
			removed = append(removed, a.Path)
		}
	}
	for _, a := range now {
		if n := at(before, a.Path); n < 0 || before[n].Kind != a.Kind {
			added = append(added, a)
		}
	}
	return removed, added
}

// roamed returns the variables that lead a program on Windows to the folders of a policy in the place of those of the user.
func (p Policy) roamed() map[string]string {
	out := make(map[string]string)
	if p.Private != "" {
		out["USERPROFILE"], out["HOME"] = p.Private, p.Private
		out["APPDATA"], out["LOCALAPPDATA"] = p.Private+`\AppData\Roaming`, p.Private+`\AppData\Local`
		if drive, rest, ok := strings.Cut(p.Private, ":"); ok {
			out["HOMEDRIVE"], out["HOMEPATH"] = drive+":", rest
		}
	}
	if p.Temporary != "" {
		out["TEMP"], out["TMP"], out["TMPDIR"] = p.Temporary, p.Temporary, p.Temporary
	}
	return out
}
