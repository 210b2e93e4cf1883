package cli

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
)

// candidates asks the hub which servers the text or bundle of a request contains. If
// the request has neither, candidates asks which servers the editors with the given ids
// have, or which servers all editors have if there are no ids.
func candidates(ctx context.Context, client *instance.Client, q importer.Request, ids []string) (found operations.Scanned, err error) {
	if q.Text != "" || q.Bundle != "" {
		err = client.Do(ctx, http.MethodPost, "/api/editors/scan", map[string]string{"text": q.Text, "bundle": q.Bundle}, &found)
		return found, err
	}
	if len(ids) == 0 {
		ids = []string{""}
	}
	seen := make(map[string]bool)
	for _, id := range ids {
		var some importer.Scan
		if err := client.Do(ctx, http.MethodGet, "/api/editors/servers?editor="+url.QueryEscape(id), nil, &some); err != nil {
			return found, err
		}
		found.Problems = append(found.Problems, some.Problems...)
		for _, candidate := range some.Candidates {
			if !seen[candidate.ID] {
				found.Candidates = append(found.Candidates, candidate)
			}
			seen[candidate.ID] = true
		}
	}
	return found, nil
}

// choose returns the candidates that --server selects, or all that can be imported.
// With --take-out, it includes servers that are configured already, because --take-out
// removes their entries from the editors.
func (f importFlags) choose(all []importer.Candidate) ([]importer.Choice, error) {
	newNames := make(map[string]string)
	for _, name := range f.servers {
		name, newName, _ := strings.Cut(name, "=")
		newNames[name] = newName
	}
	choices := []importer.Choice{}
	matched := make(map[string]bool)
	for _, candidate := range all {
		names := []string{candidate.Name}
		for _, s := range candidate.Sources {
			names = append(names, s.Entry)
		}
		i := slices.IndexFunc(names, func(name string) bool { _, ok := newNames[name]; return ok })
		switch {
		case len(newNames) == 0 && candidate.Problem == "" && (candidate.Existing == "" || f.takeOut):
			choices = append(choices, importer.Choice{ID: candidate.ID})
		case i >= 0:
			choices = append(choices, importer.Choice{ID: candidate.ID, Name: newNames[names[i]]})
			matched[names[i]] = true
		}
	}
	for name := range newNames {
		if !matched[name] {
			return nil, fault.New(fault.NotFound,
				"no server %q was found; to list the servers that can be imported, use --dry-run without --server", name)
		}
	}
	return choices, nil
}

// left describes the candidates that are not imported, and why.
func (f importFlags) left(all []importer.Candidate, chosen []importer.Choice) []string {
	var out []string
	for _, candidate := range all {
		if slices.ContainsFunc(chosen, func(c importer.Choice) bool { return c.ID == candidate.ID }) {
			continue
		}
		why := candidate.Problem
		switch {
		case why != "":
		case candidate.Existing != "":
			why = "it is already configured as " + candidate.Existing
		default:
			why = "--server does not name it"
		}
		name, places := candidate.Name, []string{}
		for _, s := range candidate.Sources {
			if candidate.Existing != "" || candidate.Problem != "" && s.Entry != "" {
				name = s.Entry
			}
			if s.Name != "" && !slices.Contains(places, s.Name) {
				places = append(places, s.Name)
			}
		}
		if len(places) > 0 {
			name += " (" + strings.Join(places, ", ") + ")"
		}
		out = append(out, cell(name)+": "+cell(why))
	}
	return out
}

// entries returns the names that a candidate has in the files of the editors.
func entries(candidate importer.Candidate) []string {
	var names []string
	for _, s := range candidate.Sources {
		if s.Entry != "" && !slices.Contains(names, s.Entry) {
			names = append(names, s.Entry)
		}
	}
	return names
}
