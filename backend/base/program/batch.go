package program

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
)

// maxBatchLine is the largest length of a command line for a batch file, in UTF-16 units. cmd.exe cuts lines at 8,191
// units, and a line of the file into which it inserts the arguments is longer than the command line.
const maxBatchLine = 7000

// The characters that are unsafe in an argument of some batch files, however the argument is quoted:
//   - cmd.exe ends a quoted text at a quotation mark and a command at a line break;
//   - it replaces %NAME% inside quotes, and !NAME! if the file asks for that;
//   - a file that uses an argument without its quotes, as %~1, or passes it on
//     with "call" lets cmd.exe interpret & | < > and ^.
const unsafe = "\"%!^&|<>"

// unquotes matches the text of a batch file that removes the quotes from an argument,
// or may pass the argument to a batch file that does. In such a file, a parenthesis in
// the argument could end a block of commands.
var unquotes = lazyregexp.New(`(?i)%~[a-z$:]*[1-9]|%%~|:"=|\bcall\b|\.(?:cmd|bat)\b`)

// plain are the characters besides letters and digits that have no special meaning
// outside quotes.
const plain = `#$*+-./:?@\_`

// batch returns the command that runs a batch file with cmd.exe. text is the content of
// the file, or nil if it was not read. own is the number of arguments at the start of
// l.args that shims have added; errors number the arguments without them.
func batch(l launch, text []byte, cmd string, own int) (launch, error) {
	never := unsafe
	if text == nil || unquotes.Match(text) {
		never += "()"
	}
	if bad := firstOf(l.path, unsafe); bad != "" && bad != "&" && bad != "^" { // Windows allows both in names, and quotes protect them
		return launch{}, fault.New(fault.Invalid,
			"the path of the batch file %s contains %s, which cmd.exe would interpret; move the file, or start the program that it starts",
			l.path, bad)
	}
	line := `cmd.exe /d /e:on /v:off /s /c "` + quoteBatch(l.path, true)
	for i, arg := range l.args {
		if bad := firstOf(arg, never); bad != "" {
			return launch{}, fault.New(fault.Invalid,
				"argument %d contains %s, which cmd.exe would interpret instead of passing it to the batch file %s; start the program "+
					"that the batch file starts, such as node with its script, or avoid this character",
				i+1-own, bad, l.path)
		}
		line += " " + quoteBatch(arg, false)
	}
	line += `"`
	if n := len(utf16.Encode([]rune(line))); n > maxBatchLine {
		return launch{}, fault.New(fault.Invalid,
			"the arguments for the batch file %s are too long for cmd.exe (%d characters); start the program that the batch file starts",
			l.path, n)
	}
	return launch{env: l.env, path: cmd, line: line}, nil
}

// quoteBatch quotes text so that cmd.exe, and the program that gets the text from a
// batch file, read it unchanged. text must contain no unsafe characters. If always is
// false, quoteBatch returns text that needs no quotes unchanged.
func quoteBatch(text string, always bool) string {
	if !always && text != "" && strings.IndexFunc(text, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune(plain, r)
	}) < 0 {
		return text
	}
	// A backslash before the closing quote would make that quote part of the text.
	backslashes := len(text) - len(strings.TrimRight(text, `\`))
	return `"` + text + strings.Repeat(`\`, backslashes) + `"`
}

// firstOf returns a name for the first character of text that is in others or is a
// control character other than a tab, or "" if text has no such character.
func firstOf(text, others string) string {
	for _, r := range text {
		switch {
		case r == '\n' || r == '\r':
			return "a line break"
		case r < ' ' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0:
			return fmt.Sprintf("the control character U+%04X", r)
		case strings.ContainsRune(others, r):
			return string(r)
		}
	}
	return ""
}
