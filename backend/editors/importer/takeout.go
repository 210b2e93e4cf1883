package importer

import (
	"context"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// leaving is a candidate whose entries are to go out of the editors, with the
// server here that does the same.
type leaving struct {
	Candidate
	name string
}

// batch is what goes out of one collection of a file.
type batch struct {
	editor  string
	file    table.File
	entries []string // as they are written
}

// takeOut takes entries out of the files of editors, those of a file at once.
// What nobody could bring back from here stays.
func (b *bringing) takeOut(ctx context.Context) {
	var batches []*batch
	here := b.household(ctx)
	for _, l := range b.away {
		for _, s := range l.Sources {
			if !s.CanTake {
				continue
			}
			if why := b.stays(here, l.name, s); why != "" {
				b.report.Taken = append(b.report.Taken, Taken{Editor: s.Editor, Path: s.Path, Entries: []string{s.Entry}, Problem: why})
				continue
			}
			batches = collect(batches, s)
		}
	}
	for _, one := range batches {
		b.report.Taken = append(b.report.Taken, b.take(ctx, one))
	}
}

func collect(batches []*batch, s Source) []*batch {
	file := s.seen.file
	at := slices.IndexFunc(batches, func(o *batch) bool {
		return o.file.Path == file.Path && slices.Equal(o.file.Place.Keys, file.Place.Keys)
	})
	if at < 0 {
		batches, at = append(batches, &batch{editor: s.Editor, file: file}), len(batches)
	}
	if one := batches[at]; !slices.Contains(one.entries, s.seen.entry) {
		one.entries = append(one.entries, s.seen.entry)
	}
	return batches
}

// stays says why an entry is left where it is: "" when the server here does
// all that it does. A dry run believes that it will come in.
func (b *bringing) stays(here *household, name string, s Source) string {
	r, err := b.Registry.Get(name)
	switch {
	case err != nil && b.dry:
		return ""
	case err != nil:
		return "its server is not here any more; nothing was taken out"
	case !r.Approved:
		return "the server " + name + " here waits for approval; nothing was taken out"
	}
	if how, why := here.compare(s.seen.server, r, true); how != same {
		return different(r, why)
	}
	return ""
}

func different(r registry.Server, why string) string {
	if why == "" {
		why = "it runs something else"
	}
	return "it stays there: the server " + r.Name + " is here, but " + why
}

func (b *bringing) take(ctx context.Context, one *batch) Taken {
	t := Taken{Editor: one.editor, Path: shown(one.file.Path), Entries: []string{}}
	for _, entry := range one.entries {
		t.Entries = append(t.Entries, shown(entry))
	}
	if b.dry {
		return t
	}
	if b.TakeOut == nil {
		t.Problem = "files of editors cannot be changed from here"
		return t
	}
	outcome, err := b.TakeOut(ctx, one.editor, one.file, one.entries)
	if err != nil {
		t.Problem = fault.MessageOf(err)
		return t
	}
	t.Change, t.Problem = outcome.Change, outcome.Problem
	if outcome.Status == "waiting" && t.Problem == "" {
		t.Problem = "it is taken out as soon as the editor has ended"
	}
	return t
}
