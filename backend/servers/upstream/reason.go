package upstream

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

const (
	reasonShown = 300 // characters of a reason
	reasonLines = 60  // number of lines at the end of standard error that are searched for a reason
	adviceLines = 10  // number of lines that may follow the reason
)

// reason is the explanation of a child's end that its standard error contains.
type reason struct {
	line     string // the last meaningful line that reports a failure, or else the last one; empty if there is none
	variable string // name of the environment variable that the server lacks, or empty
}

// before returns a message that begins with the reason.
func (r reason) before(message string) string {
	switch {
	case r.line == "":
		return message
	case strings.ContainsAny(r.line[len(r.line)-1:], ".!?:;"):
		return r.line + " " + message
	}
	return r.line + ". " + message
}

// removedFrom returns a text of standard error without the lines of the reason, and "" if nothing but noise is left. It
// keeps a line that is too long to be shown in the reason.
func (r reason) removedFrom(text string) string {
	lines := linesOf(text)
	var rest []string
	for i, line := range lines {
		if statement(lines, i) != r.line || len(line) > reasonShown {
			rest = append(rest, line)
		}
	}
	if lastIndex(rest, func(line string) bool { return isContent(line) && !strings.Contains(r.line, strings.TrimSpace(line)) }) < 0 {
		return ""
	}
	return strings.TrimSpace(strings.Join(rest, "\n"))
}

// linesOf returns the lines of a text without colours.
func linesOf(text string) []string {
	return strings.Split(ansi.ReplaceAllString(strings.ReplaceAll(text, "\r\n", "\n"), ""), "\n")
}

// explained is in the chain of errors whose message begins with a reason.
type explained struct {
	reason
	cause error // may be nil
}

func (e explained) Error() string {
	if e.cause == nil {
		return e.line
	}
	return e.cause.Error()
}

func (e explained) Unwrap() error { return e.cause }

// reasonIn looks for the reason in a text of standard error, which must be
// redacted. env contains the variables that the server was given; they are not
// missing.
func reasonIn(text string, env map[string]string) reason {
	lines := linesOf(text)
	lines = lines[max(len(lines)-reasonLines, 0):]
	last := -1
	for _, meaningful := range []func(string) bool{isStatement, isPackageError, isContent} {
		if last = lastIndex(lines, meaningful); last >= 0 {
			break
		}
	}
	if last < 0 {
		return reason{}
	}
	found := reason{line: statement(lines, last)}
	if found.variable = missingVariable(found.line, env); found.variable != "" || complains.MatchString(found.line) {
		return found
	}
	// Programs often first say why they end, and then that they end.
	for i := last - 1; i >= 0; i-- {
		if !isStatement(lines[i]) {
			continue
		}
		line := statement(lines, i)
		if variable := missingVariable(line, env); variable != "" {
			return reason{line, variable}
		}
	}
	// They may also end with advice, such as how to get help.
	for i := last - 1; i >= max(last-adviceLines, 0); i-- {
		if isStatement(lines[i]) && complains.MatchString(lines[i]) && !optional.MatchString(lines[i]) {
			return reason{line: statement(lines, i)}
		}
	}
	return found
}

func lastIndex(lines []string, accept func(string) bool) int {
	for i, line := range slices.Backward(lines) {
		if accept(line) {
			return i
		}
	}
	return -1
}

// statement returns line i as text for people. If the line only introduces the lines after it, such as those of a list,
// the text includes them.
func statement(lines []string, i int) string {
	text := strings.TrimSpace(packageManager.ReplaceAllString(lines[i], ""))
	if strings.HasSuffix(text, ":") || strings.HasSuffix(text, "[") || strings.HasSuffix(text, "{") || !strings.Contains(text, " ") {
		for _, line := range lines[i+1:] {
			if line = strings.TrimSpace(line); line != "" && !frame.MatchString(line) && len(text) < reasonShown {
				text += " " + line
			}
		}
	}
	var logged map[string]any
	if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &logged) == nil {
		for _, member := range []string{"msg", "message", "error", "err"} {
			if said, ok := logged[member].(string); ok && said != "" {
				text = said
				break
			}
		}
	}
	return safetext.Clip(safetext.Label(text), reasonShown)
}

var (
	ansi = lazyregexp.New(`\x1b\[[0-9;?]*[ -/]*[@-~]`)
	// packageManager matches the beginnings of lines that npm, pnpm and yarn write.
	packageManager = lazyregexp.New(`^(npm|pnpm|yarn) +(ERR!|error|WARN|warn|notice|http|info|verb) *(code [A-Z0-9]+|(errno|` +
		`syscall|path|dest|cwd|spawn) .*|[0-9]{3}|E[A-Z0-9]+)? *`)
	// packageNoise matches lines of package managers that do not say what failed.
	packageNoise = lazyregexp.New(`^(npm|pnpm|yarn) +(WARN|warn|notice|http|info|verb)|A complete log of this run|` +
		`debug-[0-9]+\.log|^npm (ERR!|error) *([0-9]{3}|code .*|[a-z]*errno .*|syscall .*|path .*|dest .*)? *$`)
	// frame matches lines of stack traces, and lines that runtimes print around
	// them.
	frame = lazyregexp.New(`^\s*(at \S|File ".*", line |Traceback \(|During handling of |The above exception |Node\.js v|` +
		`Bun v|Deno v|Python [0-9]|Require stack:|- (/|[A-Z]:\\)|\.\.\. [0-9]+ more|goroutine [0-9]+ |created by |` +
		`exit status [0-9]+$|note: run with |stack backtrace:|[0-9]+: 0x|[0-9]+ \| |from \S+:[0-9]+|(file://|node:|/|` +
		`[A-Z]:\\)\S+:[0-9]+(:[0-9]+)?$|[\w./]+(\(\*?\w+\))?[\w.]*\((\.\.\.|0x[0-9a-f?, .x]*|)\)$|\+0x)`)
	// symbols matches lines without any word.
	symbols = lazyregexp.New(`^[^\pL\pN]*$`)
	// installing matches the progress reports of uv and pip.
	installing = lazyregexp.New(`^(Installed|Resolved|Prepared|Audited|Downloaded|Uninstalled|Updated|` +
		`Bytecode compiled) [0-9]+ packages?|^ *(Downloading|Building|Built|Updating|Using (Python|CPython)) `)
	// complains matches lines that report a failure.
	complains = lazyregexp.New(`(?i)\b(errors?|\w+error|exceptions?|fatal|panic|failed|failure|cannot|can't|could not|` +
		`unable|denied|refused|invalid|not found|no such|unknown|expired|licen[cs]e)\b`)
)

// isStatement reports whether a line is a sentence that the server itself wrote.
func isStatement(line string) bool {
	return strings.TrimLeft(line, " \t") == line && isContent(line) && !packageManager.MatchString(line)
}

// isPackageError reports whether a line is a package manager's reason for a failure.
func isPackageError(line string) bool {
	return packageManager.MatchString(line) && !packageNoise.MatchString(line) &&
		!symbols.MatchString(packageManager.ReplaceAllString(line, ""))
}

// isContent reports whether a line is more than symbols, a stack frame or the progress of
// a package manager.
func isContent(line string) bool {
	return !symbols.MatchString(line) && !frame.MatchString(line) && !installing.MatchString(line) && !packageNoise.MatchString(line)
}

var (
	// lacks matches lines that say that something is not set.
	lacks = lazyregexp.New(`(?i)\b(required?|requires|missing|must (be|set|provide|specify|have|configure)|(please|need to|` +
		`needs to be|have to|you should) (set|be set|provide|specify|define|configure|export|supply|add)|(not|n't|never|` +
		`without being) (been )?(set|provided|defined|configured|specified|supplied|given|present|exported|` +
		`found in (the )?env\w*)|unset|undefined|is empty|unbound variable|parameter null|KeyError|no value|expected)\b|` +
		`^\W*(error:? *)?(set|provide|specify|export|no) +`)
	// optional matches lines about settings that the server can do without.
	optional = lazyregexp.New(`(?i)\b(optional|default(s|ing)?|fall(ing)?[ -]?back|using|ignor\w+|skip\w*|disabl\w+|` +
		`continu\w+|anonymous\w*|deprecated|warn(ing)?)\b`)
	// variableName matches names of environment variables that contain an underscore. capitalWord matches other words
	// in capitals, which count only in a line that environment matches.
	variableName = lazyregexp.New(`\b[A-Z][A-Z0-9]*(_[A-Z0-9]+)+\b`)
	capitalWord  = lazyregexp.New(`\b[A-Z][A-Z0-9]{2,}\b`)
	environment  = lazyregexp.New(`(?i)\benv(ironment)?\b|\$\{?[A-Z]|KeyError`)
	// errorCode matches names of errors and ordinary words in capitals, which look like variables.
	errorCode = lazyregexp.New(`^(ERR|ERROR|E)_|_(ERR|ERROR|FOUND|FAILED|FAILURE|DENIED|INVALID|REQUIRED|MISSING|EXPIRED|` +
		`REFUSED|EXCEPTION)$|^(ERROR|FATAL|WARN|WARNING|INFO|DEBUG|API|URL|HTTP|HTTPS|MCP|JSON|ENV|PATH|REQUIRED|MISSING|` +
		`MUST|NOT|SET|PLEASE|AND|THE|FOR|ENOENT|EACCES|UTC)$`)
)

// missingVariable returns the name of an environment variable that a line says
// is missing, and "" if it says nothing of the kind.
func missingVariable(line string, env map[string]string) string {
	if !lacks.MatchString(line) || optional.MatchString(line) && !strings.Contains(strings.ToLower(line), "required") {
		return ""
	}
	names := variableName.FindAllString(line, -1)
	if len(names) == 0 && environment.MatchString(line) {
		names = capitalWord.FindAllString(line, -1)
	}
	for _, name := range names {
		if !errorCode.MatchString(name) && env[name] == "" {
			return name
		}
	}
	return ""
}

// because returns an error whose message begins with the reason.
func because(r reason, err *fault.Error) error {
	err.Message, err.Variable = r.before(err.Message), r.variable
	err.Err = explained{r, err.Err}
	return err
}
