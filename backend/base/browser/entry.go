package browser

import (
	"bufio"
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// entry holds values of a browser's desktop file.
type entry struct {
	command []string // the words of Exec, with field codes such as %u
	snap    string
}

// readEntry reads the named desktop file from the XDG data folders. It returns the zero value if the file does not exist.
func readEntry(env func(string) string, name string) entry {
	if name == "" || strings.ContainsAny(name, `/\`) {
		return entry{}
	}
	folders := []string{cmp.Or(env("XDG_DATA_HOME"), filepath.Join(env("HOME"), ".local", "share"))}
	folders = append(folders, strings.Split(cmp.Or(env("XDG_DATA_DIRS"), "/usr/local/share:/usr/share"), ":")...)
	folders = append(folders, "/var/lib/snapd/desktop")
	for _, folder := range folders {
		// A desktop file in a subfolder is named with a dash in place of the slash.
		for _, path := range []string{name, strings.Replace(name, "-", "/", 1)} {
			if text, err := os.ReadFile(filepath.Join(folder, "applications", path)); err == nil {
				return parseEntry(string(text))
			}
		}
	}
	return entry{}
}

// parseEntry reads the first group of a desktop file.
func parseEntry(text string) entry {
	var e entry
	group := 0
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			group++
		}
		key, value, ok := strings.Cut(line, "=")
		if group != 1 || !ok {
			continue
		}
		switch strings.TrimSpace(key) {
		case "Exec":
			e.command = words(strings.TrimSpace(value))
		case "X-SnapInstanceName":
			e.snap = strings.TrimSpace(value)
		}
	}
	if e.snap == "" {
		e.snap = snapOf(e.command)
	}
	return e
}

// snapOf returns the name of the snap that a command starts, or "".
func snapOf(command []string) string {
	for _, word := range command {
		if name, ok := strings.CutPrefix(word, "/snap/bin/"); ok {
			name, _, _ = strings.Cut(name, ".") // secondary programs of a snap are named SNAP.PROGRAM
			return name
		}
	}
	return ""
}

var word = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[^\s"]+`)

// words splits the value of the key Exec in a desktop file into its words, which may be quoted. It leaves out the
// words %i, %c and %k, which stand for the icon, the name and the path of the desktop file.
func words(exec string) []string {
	var list []string
	exec = strings.ReplaceAll(exec, `\\`, `\`) // values of desktop files escape backslashes once more
	for _, w := range word.FindAllString(exec, -1) {
		if quoted := strings.HasPrefix(w, `"`) && len(w) > 1; quoted {
			w = regexp.MustCompile(`\\(.)`).ReplaceAllString(w[1:len(w)-1], "$1")
		} else if slices.Contains([]string{"%i", "%c", "%k"}, w) {
			continue
		}
		list = append(list, strings.ReplaceAll(w, "%%", "%"))
	}
	return list
}
