package configdiff

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

const (
	maxShown   = 400     // bytes of a line that are shown
	maxScanned = 1 << 16 // bytes of a line that are searched for credentials
)

// redactor redacts credentials in lines of a file: the credentials of the servers in the file, in
// every notation, and other text that looks like a credential.
type redactor struct {
	known []*redact.Redactor
}

// newRedactor collects the credentials of the servers in some versions of a
// file. Versions that cannot be parsed are skipped.
func newRedactor(file table.File, texts ...[]byte) *redactor {
	r := &redactor{}
	var all launch.Launch
	all.Env, all.Headers = map[string]string{}, map[string]string{}
	for version, text := range texts {
		list, err := configedit.Read(text, file.Place)
		if err != nil {
			continue
		}
		for i, e := range list {
			server, err := table.Understand(file.Shape, e.Value)
			if err != nil {
				continue
			}
			for name, value := range server.Env {
				all.Env[fmt.Sprint(name, " ", i, " ", version)] = value
			}
			for name, value := range server.Headers {
				all.Headers[fmt.Sprint(name, " ", i, " ", version)] = value
			}
			all.Args = append(append(all.Args, server.Args...), "")
			if server.URL != "" {
				r.known = append(r.known, redact.ForLaunch(launch.Launch{URL: server.URL}))
			}
		}
	}
	r.known = append(r.known, redact.ForLaunch(all))
	return r
}

// setTexts sets the redacted texts of lines, which are consecutive lines of a diff from a to b.
func (r *redactor) setTexts(lines []Line, a, b []string) {
	var old, fresh []int
	tooLong := make([]bool, len(lines)) // lines that are clipped first, and then redacted without their neighbors
	for i := range lines {
		switch line := &lines[i]; line.Kind {
		case "remove":
			line.Text, old = a[line.Old-1], append(old, line.Old)
		default:
			line.Text, fresh = b[line.New-1], append(fresh, line.New)
		}
		tooLong[i] = len(lines[i].Text) > maxScanned
	}
	clip(lines, maxScanned)
	removed, rest := r.redactLines(a, old), r.redactLines(b, fresh)
	for i := range lines {
		switch line := &lines[i]; {
		case tooLong[i]:
			line.Text = r.text(line.Text)
		case line.Kind == "remove":
			line.Text = removed[line.Old]
		default:
			line.Text = rest[line.New]
		}
	}
	clip(lines, maxShown)
}

// margin is how many lines before and after the shown lines are searched too,
// because the name of a credential may be on another line than its value.
const margin = 20

// redactLines returns the lines with the given numbers, redacted. Numbers are counted from 1.
func (r *redactor) redactLines(all []string, numbers []int) map[int]string {
	out := make(map[int]string, len(numbers))
	if len(numbers) == 0 {
		return out
	}
	from := max(slices.Min(numbers)-1-margin, 0)
	to := min(slices.Max(numbers)+margin, len(all))
	some := withoutPrivateKeys(all, from, to)
	for i, line := range some {
		if len(line) > maxScanned {
			some[i] = "" // setTexts redacts this line without its neighbors
		}
	}
	redacted := r.redactTogether(some)
	for _, n := range numbers {
		out[n] = redacted[n-1-from]
	}
	return out
}

// redactTogether redacts lines as one text. If that removes line ends, it
// redacts each line separately.
func (r *redactor) redactTogether(lines []string) []string {
	together := strings.Split(r.text(strings.Join(lines, "\n")), "\n")
	if len(together) == len(lines) {
		return together
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = r.text(line)
	}
	return out
}

func (r *redactor) text(text string) string {
	for _, known := range r.known {
		text = known.Text(text)
	}
	return Redact(text)
}

// HasCredentials reports whether a part of a file contains something that looks like a credential.
// For a text of more than 64 KiB, it returns true without a search.
func HasCredentials(file table.File, text []byte) bool {
	return len(text) > maxScanned || newRedactor(file, text).changes(string(text))
}

// EntriesHaveCredentials is like HasCredentials, but searches only the entries with the given
// names.
func EntriesHaveCredentials(file table.File, text []byte, names []string) bool {
	list, err := configedit.Read(text, file.Place)
	if err != nil {
		return false
	}
	r := newRedactor(file, text)
	for _, e := range list {
		value, err := json.Marshal(map[string]any{e.Name: e.Value})
		if slices.Contains(names, e.Name) && (err != nil || r.changes(string(value))) {
			return true
		}
	}
	return false
}

func (r *redactor) changes(text string) bool {
	return strings.Contains(text, "PRIVATE KEY-----") || r.text(text) != text
}

// quoted matches an assignment with single quotes, as in TOML and YAML.
var quoted = regexp.MustCompile(`([-_.A-Za-z0-9]{2,64})(\s*[:=]\s*)'((?:[^']|'')*)'`)

// assigned matches an unquoted assignment, even inside the value of another
// assignment.
var assigned = regexp.MustCompile(`[^\s"']+=[^\s"']+`)

// Redact returns a text in which everything that looks like a credential is
// replaced.
func Redact(text string) string {
	if strings.Contains(text, "'") { // skip the slow search
		text = quoted.ReplaceAllStringFunc(text, redactQuoted)
	}
	text = secretscan.Redact(text)
	if strings.Contains(text, "=") {
		text = assigned.ReplaceAllStringFunc(text, secretscan.Redact)
	}
	return text
}

func redactQuoted(match string) string {
	parts := quoted.FindStringSubmatch(match)
	if !secretscan.SensitiveName(parts[1]) || len(parts[3]) < 6 || strings.HasPrefix(parts[3], "${") {
		return match
	}
	return parts[1] + parts[2] + "'" + secretscan.Redacted + "'"
}

// withoutPrivateKeys returns all[from:to] with the lines of private keys redacted. A key may begin before all[from].
func withoutPrivateKeys(all []string, from, to int) []string {
	out := slices.Clone(all[from:to])
	inside := false
	for i, line := range all[:to] {
		begins := strings.Contains(line, "-----BEGIN ") && strings.Contains(line, "PRIVATE KEY-----")
		ends := strings.Contains(line, "-----END ")
		whole := begins && ends // Redact handles a key on one line
		if i >= from && !whole && (inside || begins) {
			out[i-from] = secretscan.Redacted
		}
		inside = (inside || begins) && !ends
	}
	return out
}

// clip shortens long lines to n bytes. If a line replaces another one, clip keeps the part in which
// they differ.
func clip(lines []Line, n int) {
	texts := make([]string, len(lines))
	for i, line := range lines {
		texts[i] = line.Text
	}
	for i, text := range texts {
		if len(text) <= n {
			continue
		}
		start := 0
		for _, j := range []int{i - 1, i + 1} {
			if j >= 0 && j < len(lines) && lines[j].Kind != lines[i].Kind && lines[j].Kind != "same" {
				start = max(start, commonPrefix(text, texts[j])-n/4)
			}
		}
		lines[i].Text = window(text, start, n)
	}
}

// commonPrefix returns how many bytes at the start of two texts are equal.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// window returns n bytes of a text from start on, with an ellipsis for each
// omitted part.
func window(text string, start, n int) string {
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	out := text[start:]
	if start > 0 {
		out = "…" + out
	}
	if len(out) > n {
		out = safetext.Prefix(out, n) + "…"
	}
	return out
}
