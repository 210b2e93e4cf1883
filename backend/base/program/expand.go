package program

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

// builtin are the commands that cmd.exe runs itself, without looking for a program.
var builtin = func() map[string]bool {
	names := make(map[string]bool)
	for _, name := range strings.Fields(`assoc break call cd chdir cls color copy date del dir dpath echo endlocal erase exit
		for ftype goto if keys md mkdir mklink move path pause popd prompt pushd rd rem ren rename rmdir set setlocal shift start
		time title type ver verify vol`) {
		names[name] = true
	}
	return names
}()

// split returns the words of a command line, with their quotes. ok is false if only a part of a word is quoted.
func split(line string) (parts []string, ok bool) {
	for line = strings.Trim(line, " \t"); line != ""; line = strings.TrimLeft(line, " \t") {
		end := strings.IndexAny(line, " \t")
		if line[0] == '"' {
			if end = strings.IndexByte(line[1:], '"') + 2; end == 1 || end < len(line) && line[end] != ' ' && line[end] != '\t' {
				return nil, false
			}
		}
		if end < 0 {
			end = len(line)
		}
		part := line[:end]
		if line = line[end:]; part[0] != '"' && strings.Contains(part, `"`) {
			return nil, false
		}
		parts = append(parts, part)
	}
	return parts, true
}

var reference = lazyregexp.New(`%(?:%F|~((?i:dp0|f0|nx0|n0))|([A-Za-z_]\w*)(?::([^=%]+)=([^%]*))?%|.?)`)

// expand replaces the variables in a part of a line. ok is false if the part has references of other kinds, or if the
// result depends on details of cmd.exe.
func (b *batchFile) expand(text string) (value string, ok bool) {
	ok = true
	value = reference.ReplaceAllStringFunc(text, func(found string) string {
		switch r := reference.FindStringSubmatch(found); {
		case found == "%%F":
			return b.element
		case r[1] != "":
			name := b.path[len(b.dir):]
			stem := name[:strings.LastIndexByte(name, '.')]
			return map[string]string{"dp0": b.dir, "f0": b.path, "nx0": name, "n0": stem}[strings.ToLower(r[1])]
		case r[2] != "":
			value, known := b.get(r[2])
			// cmd.exe expands all lines of a block before it runs the first, so they do not see the values that the
			// block sets.
			ok = ok && !b.fresh[strings.ToUpper(r[2])] && (known || r[3] == "")
			if r[3] == "" {
				return value
			}
			return regexp.MustCompile(`(?i)`+regexp.QuoteMeta(r[3])).ReplaceAllLiteralString(value, r[4])
		}
		ok = false
		return ""
	})
	return value, ok && !strings.ContainsAny(value, "\"\r\n\x00")
}

func (b *batchFile) get(name string) (value string, known bool) {
	if value, known = b.values[strings.ToUpper(name)]; known {
		return value, value != ""
	}
	if value = get(b.env, name); value == "" && strings.EqualFold(name, "PATHEXT") {
		value = ".COM;.EXE;.BAT;.CMD;.VBS;.VBE;.JS;.JSE;.WSF;.WSH;.MSC" // the default of cmd.exe
	}
	return value, value != ""
}

// get returns the value of a Windows variable. Case does not matter in name.
func get(env process.Env, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if k, v, _ := strings.Cut(env[i], "="); strings.EqualFold(k, name) {
			return v
		}
	}
	return ""
}

var (
	prefixLine  = lazyregexp.New(`(?m)^\s*prefix\s*=\s*["']?([^"'\r\n]*?)["']?\s*$`)
	npmVariable = lazyregexp.New(`\$\{(\w+)\}`)
	absolute    = lazyregexp.New(`^(?:[A-Za-z]:[\\/]|\\\\)`)
)

// npmPrefix returns the folder of npm's globally installed packages, in which a
// newer npm may be installed. It reads the configuration of npm without starting
// it. "" means that the batch file uses the npm beside it.
func npmPrefix(b *batchFile) string {
	if prefix := get(b.env, "npm_config_prefix"); absolute.MatchString(prefix) {
		return prefix
	}
	user := cmp.Or(get(b.env, "npm_config_userconfig"), get(b.env, "USERPROFILE")+`\.npmrc`)
	for _, file := range []string{user, b.dir + `node_modules\npm\npmrc`} {
		if !absolute.MatchString(file) || !b.machine.exists(file) {
			continue
		}
		text, err := b.machine.read(file)
		if err != nil {
			continue
		}
		if line := prefixLine.FindSubmatch(text); line != nil {
			prefix := npmVariable.ReplaceAllStringFunc(string(line[1]), func(name string) string { return get(b.env, name[2:len(name)-1]) })
			if absolute.MatchString(prefix) {
				return strings.TrimRight(prefix, `\/`)
			}
			return ""
		}
	}
	return ""
}
