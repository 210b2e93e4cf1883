package registration

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/editors/configdiff"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// claude is the writer of Claude Code, which keeps much else in the same file
// and writes it all the time: its own command knows when.
const claude = "claude"

// commandTime is how long an editor's own program may take.
const commandTime = 30 * time.Second

// command says with which commands an editor makes a change itself; none where
// the file is to be changed: without the program, for a file that it would not
// write, and where an entry holds more than the command line could say. No
// secret stands on a command line: our entry has none.
func (r *Registrar) command(d *draft, w Request) {
	if d.found.Writer != claude || r.options.Execute == nil || d.file.Scope != userScope || len(d.steps) == 0 {
		return
	}
	program, ok := r.options.Machine.Command(claude)
	if ending := filepath.Ext(program); strings.EqualFold(ending, ".cmd") || strings.EqualFold(ending, ".bat") {
		return // a shell would read the quotes of JSON in its own way
	}
	own := r.options.Machine.Find(d.found.Editor).Files // as the program itself finds it
	if !ok || len(own) == 0 || own[0].Path != d.file.Path || !slices.Equal(own[0].Place.Keys, d.file.Place.Keys) {
		return
	}
	switch d.action {
	case Register:
		d.commands = r.adding(program, d)
	case Unregister, TakeOut:
		d.commands = removing(program, d.entries)
	case Undo:
		if d.reverted && !slices.ContainsFunc(d.steps, func(s step) bool { return s.Is }) {
			d.commands = removing(program, d.entries)
		}
	}
}

func removing(program string, entries []string) [][]string {
	var list [][]string
	for _, name := range entries {
		if strings.HasPrefix(name, "-") { // it would be taken for an option
			return nil
		}
		list = append(list, []string{program, "mcp", "remove", "--scope", "user", name})
	}
	return list
}

func (r *Registrar) adding(program string, d *draft) [][]string {
	wanted, _, err := r.wanted(d.found.Editor)
	if err != nil {
		return nil
	}
	value, err := table.Spell(d.file.Shape, Name, wanted)
	if err != nil {
		return nil
	}
	text, err := json.Marshal(plain(value))
	if err != nil || d.steps[0].Was && d.more(value) {
		return nil
	}
	list := [][]string{{program, "mcp", "add-json", "--scope", "user", Name, string(text)}}
	if d.steps[0].Was {
		list = append(removing(program, []string{Name}), list...)
	}
	return list
}

// more reports whether the entry that is there holds what ours would not.
func (d *draft) more(value configedit.Object) bool {
	e, err := readEntry(d.was.Data, d.file)
	fields, ok := e.value.(map[string]any)
	if err != nil || !ok {
		return e.ours
	}
	for key := range fields {
		if !slices.ContainsFunc(value, func(f configedit.Field) bool { return f.Key == key }) {
			return true
		}
	}
	return len(mended(e.server, table.Server{}).Env) > 0
}

// plain is an object as encoding/json knows it.
func plain(o configedit.Object) map[string]any {
	out := make(map[string]any, len(o))
	for _, f := range o {
		if inner, ok := f.Value.(configedit.Object); ok {
			out[f.Key] = plain(inner)
		} else {
			out[f.Key] = f.Value
		}
	}
	return out
}

// shown are commands as a person would type them.
func shown(commands [][]string) string {
	var lines []string
	for _, c := range commands {
		words := slices.Clone(c)
		words[0] = filepath.Base(words[0])
		for i, word := range words {
			if strings.ContainsAny(word, " \"{}$\\") {
				words[i] = "'" + word + "'"
			}
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return strings.Join(lines, "\n")
}

// run lets an editor's own program make a change, and sees what became of it.
func (r *Registrar) run(ctx context.Context, d draft) (*change, error) {
	c := d.change()
	c.Writer, c.Loose, c.After, c.steps = true, true, "", nil
	if err := r.ledger.begin(c, d.was.Data); err != nil {
		return nil, err
	}
	if err := atomicfile.AwaitLock(ctx, d.was.Target); err != nil {
		r.ledger.abort(c)
		return nil, err
	}
	failure := r.execute(ctx, d)
	if !r.settle(c, d.was.Data) {
		r.ledger.abort(c)
		if failure == nil {
			failure = fault.New(fault.Failed, "%s said that it made the change, but %s is as it was", d.found.Name, d.file.Path)
		}
		return nil, failure
	}
	if err := r.ledger.commit(c); err != nil {
		return nil, err
	}
	if failure == nil && d.action != TakeOut && c.Has != d.has {
		failure = fault.New(fault.Failed, "%s made another change than it was asked for; undo it in the list of changes", d.found.Name)
	}
	if failure != nil {
		r.restoreAfter(ctx, c)
		return nil, failure
	}
	return c, nil
}

// restoreAfter takes back what a program did that then failed.
func (r *Registrar) restoreAfter(ctx context.Context, c *change) {
	was, err := atomicfile.Look(c.Path)
	if err == nil {
		d := r.draftUndo(ctx, c, was, nil)
		d.commands, d.by = nil, automatic
		_, err = r.perform(ctx, d)
	}
	if err != nil {
		r.options.Log.Warn("what an editor's program left could not be taken back", "change", c.ID, "err", err)
	}
}

func (r *Registrar) execute(ctx context.Context, d draft) error {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	for _, c := range d.commands {
		out, err := r.options.Execute(ctx, c[0], c[1:]...)
		if ctx.Err() != nil {
			return fault.Wrap(ctx.Err(), fault.Timeout, "%s did not end in time", shown([][]string{c[:3]}))
		}
		if err != nil {
			return fault.Wrap(err, fault.Failed, "%s failed: %s", shown([][]string{c[:3]}), said(out, err))
		}
	}
	return nil
}

// said is the first line of what a program printed.
func said(out []byte, err error) string {
	for line := range bytes.Lines(out) {
		if text := strings.TrimSpace(configdiff.Covered(string(line))); text != "" {
			return configdiff.Head(text, 200)
		}
	}
	return configdiff.Head(configdiff.Covered(err.Error()), 200)
}

// complement works out what a program did: what stood under each name before,
// and what does now. It reports whether any of that is another.
func (r *Registrar) complement(c *change, before []byte, now atomicfile.File) bool {
	c.After, c.steps = now.Hash, nil
	file := c.file()
	for _, name := range c.Entries {
		steps, err := between(before, now.Data, file.Place, name)
		if err != nil {
			return false
		}
		c.steps = append(c.steps, steps...)
	}
	if e, err := readEntry(now.Data, file); err == nil {
		c.Has = e.ours
	}
	return len(c.steps) > 0
}

// between are the steps of one entry from a text to another: it is cut out of
// the one and put into the other.
func between(before, after []byte, place configedit.Place, name string) ([]step, error) {
	out, err := configedit.Remove(before, place, name)
	if err != nil {
		return nil, err
	}
	in, err := configedit.Remove(after, place, name)
	if err != nil || same(out, in) {
		return nil, err
	}
	var steps []step
	if len(out.Cuts) > 0 {
		steps = append(steps, step{Name: name, Was: true, Cuts: out.Cuts})
	}
	if len(in.Cuts) > 0 {
		put := step{Name: name, Was: true, Cuts: in.Cuts}.inverse()
		steps = append(steps, put)
	}
	return steps, nil
}

// same reports whether the same was cut out of two texts.
func same(a, b configedit.Change) bool {
	return slices.EqualFunc(a.Cuts, b.Cuts, func(x, y configedit.Cut) bool { return x.Old == y.Old && x.New == y.New })
}
