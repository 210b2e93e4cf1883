package npm

import (
	"encoding/json"
	"regexp"
	"strings"
)

// parse reads a file in npm's dialect of INI and expands its variables. npm ignores settings in sections, so parse
// leaves them out. A key with brackets, such as ca[], may occur several times; its values are joined.
func parse(text string, get func(name string) (string, bool)) map[string]string {
	out := make(map[string]string)
	section := false
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || trimmed[0] == ';' || trimmed[0] == '#':
			continue
		case trimmed[0] == '[' && trimmed[len(trimmed)-1] == ']':
			section = true
		}
		if section {
			continue
		}
		key, value, has := strings.Cut(line, "=")
		if !has {
			value = "true"
		}
		key, value = expand(unquote(key), get), expand(unquote(value), get)
		if name, list := strings.CutSuffix(key, "[]"); list && out[name] != "" {
			out[name] += "\n" + value
		} else {
			out[name] = value
		}
	}
	return out
}

// unquote returns a key or value without its quotes. An unquoted text ends before a comment.
func unquote(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > 1 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0] {
		var decoded string
		if text[0] == '\'' {
			return text[1 : len(text)-1]
		}
		if json.Unmarshal([]byte(text), &decoded) == nil {
			return decoded
		}
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && strings.IndexByte(`\;#`, text[i+1]) >= 0:
			i++
			b.WriteByte(text[i])
		case c == ';' || c == '#':
			return strings.TrimSpace(b.String())
		default:
			b.WriteByte(c)
		}
	}
	return strings.TrimSpace(b.String())
}

// reference matches a variable, such as ${TOKEN} or ${TOKEN?}, with the backslashes before it.
var reference = regexp.MustCompile(`(\\*)\$\{([^${}?]+)(\?)?\}`)

// expand replaces the variables in a text. It leaves a variable that is not set as it is, or removes it if its name
// ends with a question mark. An odd number of backslashes before a variable prevents its replacement.
func expand(text string, get func(name string) (string, bool)) string {
	return reference.ReplaceAllStringFunc(text, func(whole string) string {
		m := reference.FindStringSubmatch(whole)
		if len(m[1])%2 == 1 {
			return whole[(len(m[1])+1)/2:]
		}
		value, ok := get(m[2])
		switch {
		case !ok && m[3] == "":
			value = "${" + m[2] + "}"
		case !ok:
			value = ""
		}
		return m[1][:len(m[1])/2] + value
	})
}
