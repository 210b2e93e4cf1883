package doctor

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
)

// finding is one about an editor.
func (d *desk) finding(kind, level, subject, text, advice string) Finding {
	return Finding{Kind: kind, Level: level, Editors: []string{d.Status.ID}, Subject: subject, Text: text, Advice: advice}
}

// takeOut advises to bring a server in that an editor has.
func (d *desk) takeOut(o own) string {
	if o.candidate.Problem != "" {
		return ""
	}
	return fmt.Sprintf("Let it come through us: `agent-discover editors import %s --server %s --take-out`.", d.Status.ID, o.candidate.Name)
}

// register advises to put our entry in.
func (d *desk) register(what, flags string) string {
	return fmt.Sprintf("%s: `agent-discover editors register %s%s`.", what, d.Status.ID, flags)
}

// entry says what is to be known of our entry in an editor.
func (l *looked) entry(d *desk) (findings []Finding) {
	for _, file := range d.Files {
		if f, ok := d.file(file); ok {
			findings = append(findings, f)
		}
	}
	if d.NeedsReload {
		findings = append(findings, d.finding(Reload, Note, d.Status.ID,
			d.Status.Name+" was not here since its file was changed.", d.Status.ReloadHint))
	}
	if len(d.Status.Managed) > 0 {
		findings = append(findings, d.finding(Policy, Note, d.Status.Managed[0],
			fmt.Sprintf("An administrator decides what %s may start: %s.", d.Status.Name, clean(strings.Join(d.Status.Managed, ", "))),
			"If our entry does not appear there, ask for agent-discover to be allowed."))
	}
	if d.registered && !d.Status.Verified {
		findings = append(findings, d.finding(Unverified, Note, d.Status.ID,
			fmt.Sprintf("Our entry is in %s, of which we are not sure that it reads it there.", d.Status.Name),
			"See whether it lists the tool registry; if not, say so to us."))
	}
	return findings
}

// file says what is to be known of our entry in a file.
func (d *desk) file(f registration.FileStatus) (Finding, bool) {
	path, why := clean(f.Path), sentence(f.Problem)
	switch f.State {
	case registration.Unreadable:
		return d.finding(Unreadable, Problem, f.Path, fmt.Sprintf("%s of %s cannot be changed by us%s.", path, d.Status.Name, why), d.byHand(f)), true
	case registration.Stale:
		level := Warning
		if f.Problem != "" {
			level = Problem
		}
		return d.finding(Stale, level, f.Path, fmt.Sprintf("Our entry in %s starts %s, and not this program%s.", path, clean(f.Command), why),
			d.register("Put it right", "")), true
	case registration.Foreign:
		return d.finding(Foreign, Warning, f.Path, fmt.Sprintf("The entry %s in %s starts something else%s.", registration.Name, path, sentence(f.Command)),
			d.register("Put ours in its place", " --replace")), true
	case registration.Dropped:
		return d.finding(Dropped, Warning, f.Path, fmt.Sprintf("Our entry is no longer in %s: somebody, or %s itself, took it out.", path, d.Status.Name),
			d.register("Put it back", "")), true
	}
	return Finding{}, false
}

func sentence(problem string) string {
	if problem == "" {
		return ""
	}
	return ": " + strings.TrimRight(clean(problem), ".")
}

func (d *desk) byHand(f registration.FileStatus) string {
	if f.Snippet == "" {
		return "Mend the file."
	}
	return fmt.Sprintf("Mend the file, or put our entry in by hand; `agent-discover editors preview %s` shows it.", d.Status.ID)
}

// duplicates says which servers several editors start, each for itself.
func (l *looked) duplicates() (findings []Finding) {
	for i := range l.scan.Candidates {
		c := &l.scan.Candidates[i]
		if c.Server.Transport != "stdio" {
			continue // it runs elsewhere, once
		}
		var ids, names []string
		entry := ""
		for _, d := range l.desks {
			if at := slices.IndexFunc(d.own, func(o own) bool { return o.candidate == c }); at >= 0 {
				ids, names = append(ids, d.Status.ID), append(names, d.Status.Name)
				if entry == "" {
					entry = d.own[at].entry
				}
			}
		}
		if len(ids) < 2 {
			continue
		}
		findings = append(findings, Finding{
			Kind: Duplicate, Level: Warning, Editors: ids, Subject: entry,
			Text:   fmt.Sprintf("%s and %s start %s, each a process of its own.", strings.Join(names[:len(names)-1], ", "), names[len(names)-1], entry),
			Advice: once(c, ids),
		})
	}
	return findings
}

// once advises to have one process for all.
func once(c *importer.Candidate, ids []string) string {
	if c.Problem != "" {
		return ""
	}
	return fmt.Sprintf("Let it run once for all: `agent-discover editors import %s --server %s --take-out`.", strings.Join(ids, " "), c.Name)
}

// missing says which entries start a program that is not there.
func (l *looked) missing() (findings []Finding) {
	for _, d := range l.desks {
		for _, o := range d.own {
			command := o.candidate.Server.Command
			if o.candidate.Server.Transport != "stdio" || l.startable(command) {
				continue
			}
			findings = append(findings, d.finding(Missing, Warning, o.entry,
				fmt.Sprintf("%s in %s starts %s, which is not on this machine.", o.entry, d.Status.Name, clean(command)),
				fmt.Sprintf("Install it, or take the entry %s out of %s.", o.entry, d.Status.Name)))
		}
	}
	return findings
}

// startable reports whether a command is there, or nobody can tell.
func (l *looked) startable(command string) bool {
	if command == "" || strings.Contains(command, "${") {
		return true
	}
	machine := l.Intake.Machine
	if filepath.IsAbs(command) {
		_, err := machine.Stat(command)
		return err == nil
	}
	if strings.ContainsAny(command, `/\`) {
		return true // from a folder that the editor knows
	}
	if _, there := machine.Command(command); there {
		return true
	}
	_, there := machine.Command(strings.TrimSuffix(strings.TrimSuffix(command, ".cmd"), ".exe"))
	return there
}

// unreadable says which files could not be read and were not told of already.
func (l *looked) unreadable() (findings []Finding) {
	told := make(map[string]bool)
	for _, d := range l.desks {
		for _, f := range d.Files {
			if f.State == registration.Unreadable {
				told[f.Path] = true
			}
		}
	}
	for _, p := range l.scan.Problems {
		if !told[p.Path] {
			findings = append(findings, Finding{
				Kind: Unreadable, Level: Problem, Editors: []string{p.Editor}, Subject: p.Path,
				Text: fmt.Sprintf("%s cannot be read%s.", clean(p.Path), sentence(p.Error)),
			})
		}
	}
	return findings
}
