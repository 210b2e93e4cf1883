package table

import (
	"regexp"
	"slices"
	"strings"
)

// variables matches $NAME, ${NAME:-DEFAULT}, %NAME% and {apps} in a path pattern
// of table.yaml.
var variables = regexp.MustCompile(`\$([A-Z_]+)|\$\{([A-Z_]+):-([^}]*)\}|%([A-Z_]+)%|\{apps\}`)

// standard holds the environment variables that all programs of a system share,
// with their defaults. Any other variable belongs to one editor.
var standard = map[string]string{
	"XDG_CONFIG_HOME": "~/.config",
	"APPDATA":         "~/AppData/Roaming",
	"LOCALAPPDATA":    "~/AppData/Local",
	"PROGRAMDATA":     "C:/ProgramData",
	"PROGRAMFILES":    "C:/Program Files",
}

// Overrides returns the names of the variables that change the paths of editors'
// files, in alphabetical order.
func Overrides() []string {
	names := []string{"XDG_CONFIG_HOME"} // {apps} depends on it too
	for _, e := range table() {
		for _, pattern := range e.row.patterns() {
			for _, match := range variables.FindAllStringSubmatch(pattern, -1) {
				name := match[1] + match[2] + match[4]
				if _, ok := standard[name]; !ok && name != "" {
					names = append(names, name)
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// patterns returns all path patterns of a row.
func (r *row) patterns() []string {
	var all []string
	for _, spots := range []bySystem[spot]{r.Files, r.Further, r.Beside} {
		for _, system := range systems {
			for _, s := range spots[system] {
				all = append(all, s.Path)
			}
		}
	}
	for _, paths := range []bySystem[string]{r.Detect.Paths, r.RegisterIf, r.RegisterUnless, r.Managed} {
		for _, system := range systems {
			all = append(all, paths[system]...)
		}
	}
	return all
}

// expand returns the paths that a pattern of table.yaml matches. A pattern
// without * matches one path, which need not exist. For a pattern with *, the
// part up to the last folder or file with a * must exist; the rest is appended
// to each match. A pattern with a variable that has neither a value nor a
// default matches nothing. firm is true if a variable of the editor or a match
// of * determined the paths; the caller then ignores the patterns that follow.
func (m Machine) expand(pattern string) (paths []string, firm bool) {
	path, firm, ok := m.substitute(strings.ReplaceAll(pattern, "*", star))
	if !ok {
		return nil, false
	}
	if !strings.Contains(path, star) {
		return []string{m.local(path)}, firm
	}
	head, tail := path, ""
	last := strings.LastIndex(path, star)
	if end := strings.IndexAny(path[last:], `/\`); end >= 0 {
		head, tail = path[:last+end], m.below(path[last+end:])
	}
	found, err := m.Glob(strings.ReplaceAll(m.quote(m.local(head)), star, "*"))
	if err != nil {
		return nil, false
	}
	for _, f := range found {
		paths = append(paths, f+tail)
	}
	return paths, len(paths) > 0
}

// star replaces each * of a pattern while variables are substituted, because
// their values may contain a literal *.
const star = "\x00"

// substitute replaces the variables of a pattern, and a ~ at its beginning, by
// their values. ok is false if one of them has neither a value nor a default.
func (m Machine) substitute(pattern string) (path string, firm, ok bool) {
	path, firm, ok = m.replace(pattern)
	if rest, below := strings.CutPrefix(path, "~"); below {
		path = strings.TrimRight(m.Home, m.separators()) + rest
		ok = ok && m.Home != ""
	}
	return m.slashed(path), firm, ok
}

func (m Machine) replace(pattern string) (path string, firm, ok bool) {
	ok = true
	path = variables.ReplaceAllStringFunc(pattern, func(variable string) string {
		match := variables.FindStringSubmatch(variable)
		name := match[1] + match[2] + match[4]
		if variable == "{apps}" {
			return m.apps()
		}
		if value := m.Variable(name); m.absolute(value) {
			_, common := standard[name]
			firm = firm || !common
			return strings.TrimRight(value, m.separators())
		}
		instead, _, known := m.replace(or(match[3], standard[name])) // a default may contain a variable
		ok = ok && known && instead != ""
		return instead
	})
	return path, firm, ok
}

// apps returns the folder for settings of desktop applications.
func (m Machine) apps() string {
	switch m.OS {
	case "windows":
		return m.standard("APPDATA")
	case "darwin":
		return "~/Library/Application Support"
	}
	return m.standard("XDG_CONFIG_HOME")
}

func (m Machine) standard(name string) string {
	if value := m.Variable(name); m.absolute(value) {
		return strings.TrimRight(value, m.separators())
	}
	return standard[name]
}

// quote escapes the special characters of glob patterns in a path that local has returned. It uses
// character classes such as [*], because a backslash does not escape on Windows.
func (m Machine) quote(path string) string {
	if m.separators() == "/" {
		path = strings.ReplaceAll(path, `\`, `\\`)
	}
	path = strings.ReplaceAll(path, "[", "[[]")
	path = strings.ReplaceAll(path, "?", "[?]")
	return strings.ReplaceAll(path, "*", "[*]")
}
