package configdiff

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

// longest is how much of a line is shown, and wide how much of a line is looked
// at to find credentials in what is shown; in bytes.
const (
	longest = 400
	wide    = 1 << 16
)

// cover covers credentials in lines of a file: those of the servers in it,
// however they are written there, and what looks like one anywhere.
type cover struct {
	known []*secrets.Redactor
}

func newCover(file table.File, texts ...[]byte) *cover {
	c := &cover{}
	var all secrets.Launch
	all.Env, all.Headers = map[string]string{}, map[string]string{}
	for _, text := range texts {
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
				all.Env[fmt.Sprint(name, " ", i, len(text))] = value
			}
			for name, value := range server.Headers {
				all.Headers[fmt.Sprint(name, " ", i, len(text))] = value
			}
			all.Args = append(append(all.Args, server.Args...), "")
			if server.URL != "" {
				c.known = append(c.known, secrets.ForLaunch(secrets.Launch{URL: server.URL}))
			}
		}
	}
	c.known = append(c.known, secrets.ForLaunch(all))
	return c
}

// fill gives lines that follow each other their texts.
func (c *cover) fill(lines []Line, a, b []string) {
	var old, fresh []int
	part := make([]bool, len(lines)) // of a line, which is looked at by itself
	for i := range lines {
		switch line := &lines[i]; line.Kind {
		case "remove":
			line.Text, old = a[line.Old-1], append(old, line.Old)
		default:
			line.Text, fresh = b[line.New-1], append(fresh, line.New)
		}
		part[i] = len(lines[i].Text) > wide
	}
	clip(lines, wide)
	removed, rest := c.part(a, old), c.part(b, fresh)
	for i := range lines {
		switch line := &lines[i]; {
		case part[i]:
			line.Text = c.text(line.Text)
		case line.Kind == "remove":
			line.Text = removed[line.Old]
		default:
			line.Text = rest[line.New]
		}
	}
	clip(lines, longest)
}

// margin is how many lines before and after a part are looked at with it: what
// says that a value is a credential may stand in another line.
const margin = 20

// part covers the lines of these numbers, which go from 1.
func (c *cover) part(all []string, numbers []int) map[int]string {
	out := make(map[int]string, len(numbers))
	if len(numbers) == 0 {
		return out
	}
	from := max(slices.Min(numbers)-1-margin, 0)
	to := min(slices.Max(numbers)+margin, len(all))
	some := withoutKeys(all, from, to)
	for i, line := range some {
		if len(line) > wide {
			some[i] = "" // it is looked at by itself, as far as it is shown
		}
	}
	covered := c.lines(some)
	for _, n := range numbers {
		out[n] = covered[n-1-from]
	}
	return out
}

// lines covers lines together, and each by itself where together they would
// become fewer.
func (c *cover) lines(lines []string) []string {
	together := strings.Split(c.text(strings.Join(lines, "\n")), "\n")
	if len(together) == len(lines) {
		return together
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = c.text(line)
	}
	return out
}

func (c *cover) text(text string) string {
	for _, r := range c.known {
		text = r.Text(text)
	}
	return Covered(text)
}

// quoted is an assignment with single quotes, as TOML and YAML have them.
var quoted = regexp.MustCompile(`([-_.A-Za-z0-9]{2,64})(\s*[:=]\s*)'((?:[^']|'')*)'`)

// assigned is a word that gives something a value, also as the value of another.
var assigned = regexp.MustCompile(`[^\s"']+=[^\s"']+`)

// Covered is a text in which what looks like a credential is covered.
func Covered(text string) string {
	text = quoted.ReplaceAllStringFunc(text, func(match string) string {
		parts := quoted.FindStringSubmatch(match)
		if !secrets.SensitiveName(parts[1]) || len(parts[3]) < 6 || strings.HasPrefix(parts[3], "${") {
			return match
		}
		return parts[1] + parts[2] + "'" + secrets.Redacted + "'"
	})
	var none *secrets.Redactor
	return assigned.ReplaceAllStringFunc(none.Text(text), none.Text)
}

// withoutKeys is a part of the lines with those of private keys covered.
func withoutKeys(all []string, from, to int) []string {
	out := slices.Clone(all[from:to])
	within := false
	for i, line := range all[:to] {
		begins := strings.Contains(line, "-----BEGIN ") && strings.Contains(line, "PRIVATE KEY-----")
		ends := strings.Contains(line, "-----END ")
		whole := begins && ends // in one line, where the redactor finds it
		if i >= from && !whole && (within || begins) {
			out[i-from] = secrets.Redacted
		}
		within = (within || begins) && !ends
	}
	return out
}

// clip shortens long lines to n bytes: to where a line and the one that comes
// in its place become different.
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
				start = max(start, common(text, texts[j])-n/4)
			}
		}
		lines[i].Text = window(text, start, n)
	}
}

// common is how many bytes two texts have in common at their beginning.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func window(text string, start, n int) string {
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	out := text[start:]
	if start > 0 {
		out = "…" + out
	}
	return Head(out, n)
}

// Head is a text shortened to n bytes.
func Head(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}
