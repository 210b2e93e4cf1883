package doctor

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
)

func (e *editor) finding(kind, level, subject, text, advice string) Finding {
	return Finding{Kind: kind, Level: level, Editors: []string{e.status.ID}, Subject: subject, Text: text, Advice: advice}
}

// importAdvice returns advice to move a server of the editor to Agent Discover, or "" if it cannot
// be imported.
func (e *editor) importAdvice(s server) string {
	if s.candidate.Problem != "" {
		return ""
	}
	return fmt.Sprintf("Move it to Agent Discover: `agent-discover editors import %s --server %s --take-out`.",
		e.status.ID, s.candidate.Name)
}

// registerAdvice returns advice to register with the editor. The text begins with purpose, and the
// command in it ends with flags.
func (e *editor) registerAdvice(purpose, flags string) string {
	return fmt.Sprintf("%s: `agent-discover editors register %s%s`.", purpose, e.status.ID, flags)
}

// entryFindings reports the state of the Agent Discover entry in an editor.
func (e *editor) entryFindings() (findings []Finding) {
	for _, file := range e.status.Files {
		if f, ok := e.fileFinding(file); ok {
			findings = append(findings, f)
		}
	}
	name := e.status.Name
	if e.status.NeedsReload {
		findings = append(findings, e.finding(Reload, Note, e.status.ID,
			name+" has not connected since its file was changed.", e.status.ReloadHint))
	}
	if len(e.status.Managed) > 0 {
		findings = append(findings, e.finding(Policy, Note, e.status.Managed[0],
			fmt.Sprintf("An administrator controls which servers %s may start: %s.", name, clean(strings.Join(e.status.Managed, ", "))),
			"If Agent Discover does not appear in it, ask the administrator to allow agent-discover."))
	}
	if e.registered && !e.status.Verified {
		findings = append(findings, e.finding(Unverified, Note, e.status.ID,
			fmt.Sprintf("Agent Discover is registered with %s, but it is not confirmed that %s reads this file.", name, name),
			"Check that it lists the tool named find_tool; if it does not, please report it to the Agent Discover project."))
	}
	return findings
}

// fileFinding reports the state of the Agent Discover entry in one file. It returns false if there
// is nothing to report.
func (e *editor) fileFinding(f registration.FileStatus) (Finding, bool) {
	path, reason := clean(f.Path), suffix(f.Problem)
	switch f.State {
	case registration.Registered:
		if f.Outdated {
			return e.finding(Outdated, Note, f.Path,
				fmt.Sprintf("The Agent Discover entry in %s does not say that it is for %s, or what %s is shown.", path, e.status.Name,
					e.status.Name),
				e.registerAdvice("Update it", "")), true
		}
	case registration.Unreadable:
		advice := "Fix the file."
		if f.Snippet != "" {
			advice = fmt.Sprintf("Fix the file, or paste the entry into it yourself: `agent-discover editors preview %s` prints it.",
				e.status.ID)
		}
		text := fmt.Sprintf("%s of %s cannot be changed%s.", path, e.status.Name, reason)
		return e.finding(Unreadable, Problem, f.Path, text, advice), true
	case registration.Stale:
		level := Warning
		if f.Problem != "" {
			level = Problem
		}
		return e.finding(Stale, level, f.Path,
			fmt.Sprintf("The Agent Discover entry in %s starts %s instead of this program%s.", path, clean(f.Command), reason),
			e.registerAdvice("Repair it", "")), true
	case registration.Foreign:
		return e.finding(Foreign, Warning, f.Path,
			fmt.Sprintf("The entry %s in %s starts another program.", registration.Name, path),
			e.registerAdvice("Replace it with the Agent Discover entry", " --replace")), true
	case registration.Dropped:
		return e.finding(Dropped, Warning, f.Path,
			fmt.Sprintf("The Agent Discover entry is no longer in %s: another program or %s removed it.", path, e.status.Name),
			e.registerAdvice("Add it again", "")), true
	}
	return Finding{}, false
}

// suffix returns text as the end of a sentence, after a colon.
func suffix(text string) string {
	if text == "" {
		return ""
	}
	return ": " + strings.TrimRight(clean(text), ".")
}

// duplicates reports the servers that an editor uses itself and also reaches through Agent Discover, and the stdio servers
// that several editors start. A remote server runs once, however many editors use it.
func (x *examination) duplicates() (findings []Finding) {
	for i := range x.scan.Candidates {
		c := &x.scan.Candidates[i]
		var ids, names, twiceIDs, twice []string
		entry := ""
		for _, e := range x.editors {
			at := slices.IndexFunc(e.servers, func(s server) bool { return s.candidate == c })
			if at < 0 {
				continue
			}
			ids, names, entry = append(ids, e.status.ID), append(names, e.status.Name), cmp.Or(entry, e.servers[at].entry)
			if e.registered && x.inHub(c) {
				twiceIDs, twice = append(twiceIDs, e.status.ID), append(twice, e.status.Name)
			}
		}
		take := func(what string, from []string) string {
			if c.Problem != "" {
				return ""
			}
			return fmt.Sprintf("%s: `agent-discover editors import %s --server %s --take-out`.", what, strings.Join(from, " "), c.Name)
		}
		switch {
		case len(twice) > 0:
			uses, reaches, from := "uses", "reaches", "the editor"
			if len(twice) > 1 {
				uses, reaches, from = "each use", "reach", "the editors"
			}
			findings = append(findings, Finding{
				Kind: Duplicate, Level: Warning, Editors: twiceIDs, Subject: entry,
				Text: fmt.Sprintf("%s %s %s directly and also %s it through Agent Discover, so that its tools are there twice.",
					listed(twice), uses, entry, reaches),
				Advice: take("Remove it from "+from, twiceIDs),
			})
		case len(ids) > 1 && c.Server.Transport == "stdio":
			findings = append(findings, Finding{
				Kind: Duplicate, Level: Warning, Editors: ids, Subject: entry,
				Text:   fmt.Sprintf("%s each start their own process of %s.", listed(names), entry),
				Advice: take("Run it once for all of them", ids),
			})
		}
	}
	return findings
}

// listed joins names for a sentence: "A", "A and B" or "A, B and C".
func listed(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// inHub reports whether the hub offers the server of a candidate to agents, too.
func (x *examination) inHub(c *importer.Candidate) bool {
	configured, err := x.options.Servers.Get(c.Existing)
	return err == nil && configured.Usable() == nil
}

// astray reports the entries that connect over HTTP to the configured port of a hub that does not have this port.
func (x *examination) astray() (findings []Finding) {
	if x.options.TakenPort == nil {
		return nil
	}
	port := strconv.Itoa(x.options.TakenPort())
	for _, own := range x.scan.Own {
		e := x.editorOf(own.Editor)
		if u, err := url.Parse(own.URL); err != nil || u.Port() != port || e == nil {
			continue
		}
		advice, flags := "See what to do about the port: `agent-discover doctor`.", ""
		if own.Entry == registration.Name {
			flags = " --replace"
		}
		if e.status.Registrable {
			advice = e.registerAdvice("Let it start the program instead, which checks the hub before it sends anything", flags)
		}
		findings = append(findings, e.finding(Port, Problem, own.Path, fmt.Sprintf("The entry %s in %s connects to port %s, which the hub "+
			"does not have. %s sends the token of the entry to any program that uses this port.",
			clean(own.Entry), clean(own.Path), port, e.status.Name), advice))
	}
	return findings
}

// editorOf returns the editor with an id, or nil.
func (x *examination) editorOf(id string) *editor {
	if i := slices.IndexFunc(x.editors, func(e *editor) bool { return e.status.ID == id }); i >= 0 {
		return x.editors[i]
	}
	return nil
}

// missing reports the entries whose command is not installed.
func (x *examination) missing() (findings []Finding) {
	for _, e := range x.editors {
		for _, s := range e.servers {
			command := s.candidate.Server.Command
			if s.candidate.Server.Transport != "stdio" || x.startable(command) {
				continue
			}
			findings = append(findings, e.finding(Missing, Warning, s.entry,
				fmt.Sprintf("%s in %s starts %s, which is not installed on this machine.", s.entry, e.status.Name, clean(command)),
				fmt.Sprintf("Install it, or remove the entry %s from %s.", s.entry, e.status.Name)))
		}
	}
	return findings
}

// startable reports whether a command exists. It returns true if that cannot be determined,
// because the command contains a variable or is a path relative to an unknown folder.
func (x *examination) startable(command string) bool {
	if command == "" || strings.Contains(command, "${") {
		return true
	}
	machine := x.options.Machine
	if filepath.IsAbs(command) {
		_, err := machine.Stat(command)
		return err == nil
	}
	if strings.ContainsAny(command, `/\`) {
		return true
	}
	if _, ok := machine.Command(command); ok {
		return true
	}
	_, ok := machine.Command(strings.TrimSuffix(strings.TrimSuffix(command, ".cmd"), ".exe"))
	return ok
}

// unreadable reports the files that the importer could not read, except those
// that fileFinding reports.
func (x *examination) unreadable() (findings []Finding) {
	reported := make(map[string]bool)
	for _, e := range x.editors {
		for _, f := range e.status.Files {
			if f.State == registration.Unreadable {
				reported[f.Path] = true
			}
		}
	}
	for _, p := range x.scan.Problems {
		if !reported[p.Path] {
			findings = append(findings, Finding{
				Kind: Unreadable, Level: Problem, Editors: []string{p.Editor}, Subject: p.Path,
				Text: fmt.Sprintf("%s cannot be read%s.", clean(p.Path), suffix(p.Error)),
			})
		}
	}
	return findings
}
