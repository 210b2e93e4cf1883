package registration

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/editors/configdiff"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// claude is the value of table.Editor.Writer for Claude Code. Claude Code keeps other data in the
// same file and rewrites it all the time, so its own command makes the change at the right moment.
const claude = "claude"

const commandTimeout = 30 * time.Second

// editorCommands returns the commands with which an editor makes a change itself. It returns none
// if the file must be written directly: when the program is not installed or would write another
// file, or when the entry contains more than the command line can express. The commands contain no
// secret, because the entry contains none.
func (pl *planner) editorCommands(p *filePlan) [][]string {
	if p.found.Writer != claude || !pl.commands || p.file.Scope != userScope || len(p.steps) == 0 {
		return nil
	}
	program, ok := pl.machine.Command(claude)
	if ext := filepath.Ext(program); strings.EqualFold(ext, ".cmd") || strings.EqualFold(ext, ".bat") {
		return nil // cmd.exe would interpret the quotes in JSON differently
	}
	own := pl.machine.Find(p.found.Editor).Files // without Request.Environment, because the program does not get these variables either
	if !ok || len(own) == 0 || own[0].Path != p.file.Path || !slices.Equal(own[0].Place.Keys, p.file.Place.Keys) {
		return nil
	}
	switch p.action {
	case Register:
		return pl.addCommands(program, p)
	case Unregister, TakeOut:
		return removeCommands(program, p.entries)
	case Undo:
		if p.reverts && !slices.ContainsFunc(p.steps, func(s step) bool { return s.Is }) {
			return removeCommands(program, p.entries)
		}
	}
	return nil
}

func removeCommands(program string, entries []string) [][]string {
	var list [][]string
	for _, name := range entries {
		if strings.HasPrefix(name, "-") { // it would be parsed as an option
			return nil
		}
		list = append(list, []string{program, "mcp", "remove", "--scope", "user", name})
	}
	return list
}

func (pl *planner) addCommands(program string, p *filePlan) [][]string {
	wanted, _, err := p.own.wanted(p.found.Editor, p.surface)
	if err != nil {
		return nil
	}
	value, err := table.Spell(p.file.Shape, Name, wanted)
	if err != nil {
		return nil
	}
	text, err := json.Marshal(toMap(value))
	if err != nil || p.steps[0].Was && p.hasMore(value, wanted) {
		return nil
	}
	list := [][]string{{program, "mcp", "add-json", "--scope", "user", Name, string(text)}}
	if p.steps[0].Was {
		list = append(removeCommands(program, []string{Name}), list...)
	}
	return list
}

// hasMore reports whether the current entry has fields, arguments or variables that would be lost
// or changed if the wanted entry replaced it. value is the wanted entry as Spell returns it.
func (p *filePlan) hasMore(value configedit.Object, wanted table.Server) bool {
	e, err := readEntry(p.was.Data, p.file)
	fields, ok := e.value.(map[string]any)
	if err != nil || !ok {
		return e.ours
	}
	for key := range fields {
		if !slices.ContainsFunc(value, func(f configedit.Field) bool { return f.Key == key }) {
			return true
		}
	}
	for _, f := range wanted.More {
		if present, exists := fields[f.Key]; exists && !reflect.DeepEqual(present, f.Value) {
			return true
		}
	}
	now := repaired(e, wanted, p.surface != "")
	return len(now.Env) > len(wanted.Env) || !slices.Equal(now.Args, wanted.Args)
}

// toMap converts an object for encoding/json.
func toMap(o configedit.Object) map[string]any {
	out := make(map[string]any, len(o))
	for _, f := range o {
		if inner, ok := f.Value.(configedit.Object); ok {
			out[f.Key] = toMap(inner)
		} else {
			out[f.Key] = f.Value
		}
	}
	return out
}

// formatCommands returns commands as a person would type them, one per line.
func formatCommands(commands [][]string) string {
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

// changeByEditor lets the editor's commands make a change, and records their changes to the file.
func (w *performer) changeByEditor(ctx context.Context, p filePlan) (*change, error) {
	c := p.change()
	c.Writer, c.Loose, c.After, c.steps = true, true, "", nil
	if err := w.history.begin(ctx, c, p.was.Data); err != nil {
		return nil, err
	}
	if err := atomicfile.WaitForLock(ctx, p.was.Target); err != nil {
		w.history.abort(c)
		return nil, err
	}
	failure := w.execute(ctx, p)
	if !w.files.wasMade(c, p.was.Data) {
		w.history.abort(c)
		if failure == nil {
			failure = fault.New(fault.Failed, "%s reported success, but %s is unchanged", p.found.Name, p.file.Path)
		}
		return nil, failure
	}
	if err := w.history.commit(ctx, c, p.was.Data); err != nil {
		return nil, err
	}
	if failure == nil && p.action != TakeOut && c.Has != p.has {
		failure = fault.New(fault.Failed, "%s made a different change than requested; check %s", p.found.Name, p.file.Path)
	}
	if failure != nil {
		w.undoFailed(ctx, c)
		return nil, failure
	}
	return c, nil
}

// undoFailed undoes the changes that the commands of an editor made before one of them failed.
func (w *performer) undoFailed(ctx context.Context, c *change) {
	p := w.planner.newUndoPlan(ctx, c, w.files.readAtRest, nil)
	p.by = automatic
	if p.method == byEditor {
		p.method, p.commands = direct, nil
	}
	if _, err := w.perform(ctx, p); err != nil {
		w.log.Warn("could not undo an incomplete change by an editor's command", "change", c.ID, "err", err)
	}
}

func (w *performer) execute(ctx context.Context, p filePlan) error {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	for _, c := range p.commands {
		out, err := w.run(ctx, c[0], c[1:]...)
		name := formatCommands([][]string{c[:3]})
		if ctx.Err() != nil {
			return fault.Wrap(ctx.Err(), fault.Timeout, "%s did not finish within %d seconds", name, int(commandTimeout.Seconds()))
		}
		if err != nil {
			return fault.Wrap(err, fault.Failed, "%s failed: %s", name, firstLine(out, err))
		}
	}
	return nil
}

// firstLine returns the first line of a command's output, or its error when the
// output is empty. Credentials are redacted.
func firstLine(out []byte, err error) string {
	const most = 200
	for line := range bytes.Lines(out) {
		if text := strings.TrimSpace(configdiff.Redact(string(line))); text != "" {
			return safetext.Clip(text, most)
		}
	}
	return safetext.Clip(configdiff.Redact(err.Error()), most)
}
