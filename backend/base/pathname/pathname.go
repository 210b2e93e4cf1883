// Package pathname answers whether two paths name the same file, by the rules of
// an operating system: separators, upper and lower case, drive letters, network
// shares and Unicode normalization. Same also reads the file system, for links and
// short names; all other functions only compare texts.
package pathname

import (
	"net/url"
	"os"
	"path"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Rules names the operating system by whose rules paths are compared, with a value of runtime.GOOS.
type Rules string

// Here names the operating system of this machine.
const Here = Rules(runtime.GOOS)

// Key returns a text that is equal for paths which name the same file. It is not
// a path that can be opened.
func (r Rules) Key(name string) string {
	switch r {
	case "windows":
		return strings.Map(fold, cleanWindows(name))
	case "darwin": // its file systems keep case and normalization of a name, but ignore both in a lookup
		return strings.Map(fold, norm.NFC.String(path.Clean(name)))
	}
	return path.Clean(name)
}

// Equal reports whether the texts of two paths name the same file.
func (r Rules) Equal(a, b string) bool { return a == b || r.Key(a) == r.Key(b) }

// In reports whether the path name is folder or is inside it. It compares only the texts.
func (r Rules) In(folder, name string) bool {
	folder, name = r.Key(folder), r.Key(name)
	rest, ok := strings.CutPrefix(name, strings.TrimSuffix(folder, "/"))
	return ok && (rest == "" || rest[0] == '/')
}

// Same reports whether two paths name the same file on this machine: their texts are equal by the rules, or the same
// existing file has both paths.
func Same(a, b string) bool {
	if Here.Equal(a, b) {
		return true
	}
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// Index returns where a text first contains the path of a folder followed by a
// separator; end is after the separator. ok is false if text does not contain it.
func (r Rules) Index(text, folder string) (start, end int, ok bool) {
	separators := "/"
	if r == "windows" {
		separators = `/\`
	}
	folder = strings.TrimRight(folder, separators) + "/"
	for start = range text {
		if n, ok := r.prefix(text[start:], folder); ok {
			return start, start + n, true
		}
	}
	return 0, 0, false
}

// prefix returns the length of the prefix of text that is equal to name, a path, by the rules. ok is false if text has
// no such prefix.
func (r Rules) prefix(text, name string) (n int, ok bool) {
	for _, want := range name {
		got, size := utf8.DecodeRuneInString(text[n:])
		if size == 0 || !r.sameRune(got, want) {
			return 0, false
		}
		n += size
	}
	return n, true
}

func (r Rules) sameRune(a, b rune) bool {
	if r == "windows" && (a == '/' || a == '\\') {
		return b == '/' || b == '\\'
	}
	return a == b || (r == "windows" || r == "darwin") && fold(a) == fold(b)
}

// cleanWindows returns a path with slashes, without "." and "..", and without the
// dots and spaces that Windows ignores at the end of names. The prefix for long
// paths is removed.
func cleanWindows(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	long := strings.HasPrefix(name, "//?/")
	if long {
		if name = name[4:]; len(name) >= 4 && strings.EqualFold(name[:4], "UNC/") {
			name = "//" + name[4:]
		}
	}
	volume := ""
	switch {
	case len(name) >= 2 && name[1] == ':':
		volume, name = name[:2], name[2:]
	case strings.HasPrefix(name, "//"):
		volume, name = "/", name[1:]
	}
	parts := strings.Split(path.Clean(name), "/")
	for i, part := range parts {
		if !long && part != "." && part != ".." {
			parts[i] = strings.TrimRight(part, ". ")
		}
	}
	return volume + strings.Join(parts, "/")
}

// fold returns the upper case of a letter. Like the case tables of file systems, it never maps a letter outside of ASCII
// to an ASCII letter.
func fold(r rune) rune {
	if upper := unicode.ToUpper(r); r < utf8.RuneSelf || upper >= utf8.RuneSelf {
		return upper
	}
	return r
}

// URI returns the file URI of an absolute path.
func (r Rules) URI(name string) string {
	if r != "windows" {
		return (&url.URL{Scheme: "file", Path: name}).String()
	}
	name = strings.ReplaceAll(name, `\`, "/")
	if share, ok := strings.CutPrefix(name, "//"); ok {
		host, rest, _ := strings.Cut(share, "/")
		return (&url.URL{Scheme: "file", Host: host, Path: "/" + rest}).String()
	}
	return (&url.URL{Scheme: "file", Path: "/" + name}).String()
}
