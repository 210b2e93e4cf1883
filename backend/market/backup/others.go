package backup

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/market/persona"
)

const maxSetName = 50 // characters

func (j *job) toolsets(ctx context.Context) {
	for _, data := range j.export.Toolsets {
		t, err := toolset.Parse(data)
		item := ImportedItem{Kind: "toolset", Name: t.Name, Action: Added}
		if err == nil {
			item, err = j.toolset(ctx, t, item)
		}
		j.done(item, err)
	}
}

func (j *job) toolset(ctx context.Context, t toolset.Toolset, item ImportedItem) (ImportedItem, error) {
	for i, r := range t.Tools {
		t.Tools[i].Server, _ = j.serverOf(r.Server)
	}
	if j.Unseen {
		item.Action, item.Why = Skipped, needsPerson
		return item, nil
	}
	add := j.options.Toolsets.Adopt
	if existing, err := j.options.Toolsets.Get(t.Name); err == nil {
		alike := existing.Description == t.Description && slices.EqualFunc(existing.Tools, t.Tools, func(a, b toolset.Reference) bool {
			return a.Server == b.Server && a.Tool == b.Tool && a.Hash == b.Hash && a.Note == b.Note
		})
		switch {
		case alike:
			item.Action = Same
			return item, nil
		case j.Conflicts == Skip:
			item.Action, item.Why = Skipped, "there is another toolset of this name; to take this one, too: --conflicts rename"
			return item, nil
		case j.Conflicts == Replace:
			item.Action, add = Replaced, j.options.Toolsets.Replace
		default:
			item.As = freeName(t.Name, maxSetName, func(name string) bool {
				_, err := j.options.Toolsets.Get(name)
				return err != nil
			})
			j.sets[t.Name], t.Name = item.As, item.As
		}
	}
	if j.DryRun {
		return item, nil
	}
	_, err := add(ctx, t)
	return item, err
}

// equip equips the clients that have no toolset here with theirs in the export.
func (j *job) equip(ctx context.Context) {
	now := j.options.Toolsets.AllEquipped()
	for _, client := range slices.Sorted(maps.Keys(j.export.Equipped)) {
		set := j.export.Equipped[client]
		item := ImportedItem{Kind: "equipped", Name: client, Action: Added}
		if as, ok := j.sets[set]; ok {
			set = as
		}
		has, known := now[client]
		switch {
		case set == "" || known && has == set:
			continue
		case j.Unseen:
			item.Action, item.Why = Skipped, needsPerson
		case known && j.Conflicts != Replace:
			item.Action, item.Why = Skipped, "the client uses the toolset "+has+" here"
		case !j.DryRun:
			if err := j.options.Toolsets.Equip(ctx, client, set); err != nil {
				j.done(item, err)
				continue
			}
		}
		j.done(item, nil)
	}
}

func (j *job) personas(ctx context.Context) {
	for _, p := range j.export.Personas {
		item := ImportedItem{Kind: "persona", Name: p.Name, Action: Added}
		item, err := j.persona(ctx, p, item)
		j.done(item, err)
	}
}

func (j *job) persona(ctx context.Context, p ExportedPersona, item ImportedItem) (ImportedItem, error) {
	if j.Unseen {
		item.Action, item.Why = Skipped, needsPerson
		return item, nil
	}
	if err := toolset.CheckName(p.Name); err != nil {
		return item, fault.New(fault.Invalid, "invalid persona name %q", p.Name)
	}
	place := j.options.Personas.Place(p.Name)
	if _, err := os.Stat(place); err == nil {
		now, err := persona.Persona{Path: place}.Files()
		switch {
		case err == nil && maps.Equal(now, p.Files):
			item.Action = Same
		case j.Conflicts == Replace:
			item.Action = Replaced
		default:
			item.Action, item.Why = Skipped, place+" exists and differs; to replace its files: --conflicts replace"
			return item, nil
		}
	}
	if j.DryRun {
		return item, nil
	}
	if item.Action != Same && len(p.Files) > 0 {
		if err := j.options.Personas.Save(p.Name, p.Files); err != nil {
			return item, err
		}
	}
	if p.Active == nil {
		return item, nil
	}
	a := *p.Active
	a.Path, a.Servers, a.Toolsets = place, []persona.AddedServer{}, []string{}
	for _, s := range p.Active.Servers {
		name, ok := j.serverOf(s.Name)
		if server, err := j.options.Registry.Get(name); ok && err == nil {
			a.Servers = append(a.Servers, persona.AddedServer{ID: server.ID, Name: name})
		}
	}
	for _, set := range p.Active.Toolsets {
		if as, ok := j.sets[set]; ok {
			set = as
		}
		a.Toolsets = append(a.Toolsets, set)
	}
	if err := j.options.Personas.Restore(ctx, a); err != nil && fault.KindOf(err) != fault.Conflict {
		return item, err
	}
	return item, nil
}

// approvals adds the approvals of calls. They hold only for a tool and a server that are exactly as they were when a
// person approved them.
func (j *job) approvals(ctx context.Context) {
	if len(j.export.Approvals) == 0 {
		return
	}
	item := ImportedItem{Kind: "approvals", Action: Added}
	if j.Unseen {
		item.Action, item.Why = Skipped, needsPerson
		j.done(item, nil)
		return
	}
	added := 0
	for _, a := range j.export.Approvals {
		server, ok := j.serverOf(a.Server)
		if !ok {
			continue
		}
		if j.DryRun {
			added++
			continue
		}
		is, err := j.options.Approvals.Adopt(ctx, rules.Approval{Tool: catalog.Key{Server: server, Tool: a.Tool}, Hash: a.Hash, At: a.At})
		if err != nil {
			j.done(item, err)
			return
		}
		if is {
			added++
		}
	}
	item.Name = fmt.Sprintf("%d of %d", added, len(j.export.Approvals))
	j.done(item, nil)
}

// learning turns learning off if it is turned off in the export.
func (j *job) learning(ctx context.Context) {
	if !j.export.NoLearning || !j.options.Learning.On() {
		return
	}
	item := ImportedItem{Kind: "learning", Name: "the choice to turn it off", Action: Added}
	var err error
	switch {
	case j.Unseen:
		item.Action, item.Why = Skipped, needsPerson
	case !j.DryRun:
		err = j.options.Learning.Switch(ctx, false)
	}
	j.done(item, err)
}

func (j *job) learned(context.Context) {
	if len(j.export.Learned) == 0 {
		return
	}
	item := ImportedItem{Kind: "learned", Action: Added, Name: fmt.Sprint(len(j.export.Learned))}
	switch {
	case j.Unseen:
		item.Action, item.Why = Skipped, needsPerson
	case !j.DryRun:
		var pairs []learning.Pair
		for _, p := range j.export.Learned {
			server, _ := j.serverOf(p.Server)
			pairs = append(pairs, learning.Pair{
				Query: p.Query, Tool: catalog.Key{Server: server, Tool: p.Tool}, Times: p.Times, Failed: p.Failed, Last: p.Last,
			})
		}
		item.Name = fmt.Sprintf("%d of %d", j.options.Learning.Add(pairs), len(pairs))
	}
	j.done(item, nil)
}

func (j *job) settings(context.Context) {
	text := j.export.Settings
	if j.private.Settings != "" {
		text = j.private.Settings
	}
	if text == "" {
		return
	}
	item := ImportedItem{Kind: "settings", Name: "config.yaml", Action: Added}
	now, err := j.options.Settings.Read()
	if err == nil {
		err = j.options.Settings.Check([]byte(text))
	}
	switch {
	case err != nil:
	case string(now) == text:
		item.Action = Same
	case j.Unseen:
		item.Action, item.Why = Skipped, needsPerson
	case len(bytes.TrimSpace(now)) > 0 && j.Conflicts != Replace:
		item.Action, item.Why = Skipped, "this machine has settings of its own; to replace them: --conflicts replace"
	default:
		if len(bytes.TrimSpace(now)) > 0 {
			item.Action = Replaced
		}
		if !j.DryRun {
			var former string
			if former, err = j.options.Settings.Replace([]byte(text)); former != "" {
				item.Notes = append(item.Notes, "The former file is "+former+".")
			}
		}
	}
	j.done(item, err)
}
