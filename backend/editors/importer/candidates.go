package importer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

// candidates makes one of all entries that do the same, in the order in which
// they were seen.
func (i *Importer) candidates(ctx context.Context, seen []sighting) []Candidate {
	all := []Candidate{}
	byLaunch := make(map[string][]int) // indices into all
	for n := range seen {
		seen[n].at = n
	}
	for _, s := range richest(seen) {
		if s.problem == "" && table.Ours(s.server) {
			continue
		}
		key := i.launch(s.server).key(s.server.Dir)
		if s.problem != "" {
			key = fmt.Sprint("\x00", s.at) // what cannot come in is like nothing else
		}
		at := slices.IndexFunc(byLaunch[key], func(c int) bool { return within(settings(s.server), settings(all[c].Server)) })
		if at < 0 {
			byLaunch[key] = append(byLaunch[key], len(all))
			all = append(all, candidateOf(s))
			continue
		}
		all[byLaunch[key][at]].add(s)
	}
	conflicts(all, byLaunch)
	order(all)
	here, names := i.household(ctx), i.names()
	for n := range all {
		here.find(&all[n])
		names.propose(&all[n])
	}
	return all
}

// richest sorts entries so that one with more settings comes before those that
// have some of them.
func richest(seen []sighting) []sighting {
	sorted := slices.Clone(seen)
	slices.SortStableFunc(sorted, func(a, b sighting) int { return len(settings(b.server)) - len(settings(a.server)) })
	return sorted
}

func candidateOf(s sighting) Candidate {
	c := Candidate{Server: s.server, Problem: shown(s.problem), Sources: []Source{}, Warnings: []string{}}
	c.ID = idOf(s)
	c.Secrets = secrets.Plaintext(s.server.Env, s.server.Args, s.server.Headers, s.server.URL)
	c.Command = shown(covered(s.server))
	c.add(s)
	return c
}

// idOf names what a server runs, or where one stands that is not understood.
func idOf(s sighting) string {
	what := []any{s.server.Transport, s.server.Command, append([]string{}, s.server.Args...), s.server.Env, s.server.URL, s.server.Headers, s.server.Dir}
	if s.problem != "" {
		what = append(what, s.file.Path, s.file.Place.Keys, s.entry)
	}
	text, _ := json.Marshal(what) // strings; maps are sorted
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

func (c *Candidate) add(s sighting) {
	source := Source{Path: shown(s.file.Path), Entry: shown(s.entry), Disabled: s.server.Disabled, seen: s}
	if s.editor != nil {
		source.Editor, source.Name, source.CanTake = s.editor.ID, s.editor.Name, !s.beside && s.problem == "" && s.entry != ""
	}
	same := func(o Source) bool {
		return o.seen.file.Path == s.file.Path && slices.Equal(o.seen.file.Place.Keys, s.file.Place.Keys) && o.seen.entry == s.entry && o.Editor == source.Editor
	}
	if !s.pasted && slices.ContainsFunc(c.Sources, same) {
		return
	}
	c.Sources = append(c.Sources, source)
	for _, warning := range s.warnings {
		c.warn("%s", warning)
	}
	if s.server.Disabled {
		c.warn("it is switched off there")
	}
}

func (c *Candidate) warn(format string, args ...any) {
	if text := shown(fmt.Sprintf(format, args...)); !slices.Contains(c.Warnings, text) {
		c.Warnings = append(c.Warnings, text)
	}
}

// conflicts tells of candidates that differ in the values of settings alone.
func conflicts(all []Candidate, byLaunch map[string][]int) {
	for _, group := range byLaunch {
		for _, one := range group {
			names := make(map[string]bool)
			for _, other := range group {
				theirs := settings(all[other].Server)
				for name, value := range settings(all[one].Server) {
					if given, has := theirs[name]; has && given != value {
						names[shown(name)] = true
					}
				}
			}
			if len(names) > 0 {
				all[one].warn("the same command stands elsewhere with another value of %s", strings.Join(slices.Sorted(maps.Keys(names)), ", "))
			}
		}
	}
}

// order sorts candidates, and the places of each, as they were seen.
func order(all []Candidate) {
	for _, c := range all {
		slices.SortStableFunc(c.Sources, func(a, b Source) int { return a.seen.at - b.seen.at })
	}
	slices.SortStableFunc(all, func(a, b Candidate) int { return a.Sources[0].seen.at - b.Sources[0].seen.at })
}

// covered is what a server runs or connects to, without its credentials.
func covered(s table.Server) string {
	hidden := strings.NewReplacer(values(s)...)
	if s.URL != "" {
		return secrets.NewRedactor(nil).Text(hidden.Replace(s.URL))
	}
	words := append([]string{s.Command}, s.Args...)
	for n, word := range words {
		words[n] = quoted(hidden.Replace(word))
	}
	return secrets.NewRedactor(nil).Text(strings.TrimSpace(strings.Join(words, " ")))
}

// values returns the credentials of a server, each with what covers it.
func values(s table.Server) []string {
	var pairs []string
	for _, literal := range literals(s.Transport, s.Args, s.Env, s.URL, s.Headers) {
		pairs = append(pairs, literal.Value, secrets.Redacted)
	}
	return pairs
}

func literals(transport string, args []string, env map[string]string, address string, headers map[string]string) []secrets.Literal {
	return secrets.Literals(secrets.Launch{Transport: transport, Args: args, Env: env, URL: address, Headers: headers})
}

// quoted writes a word so that it can be told from the next.
func quoted(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n\"'") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
