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

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/pathname"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

// Scan is the result of a search for servers.
type Scan struct {
	Candidates []Candidate `json:"candidates" nullable:"false"`
	Problems   []Problem   `json:"problems" nullable:"false"`
	// Own are the entries that connect to this hub over HTTP, also at its configured port if it listens on another one.
	Own []OwnEntry `json:"-"`
}

// OwnEntry is an entry of Agent Discover with an address instead of a command.
type OwnEntry struct {
	Editor, Path, Entry, URL string
}

// Problem is a file that could not be read.
type Problem struct {
	Editor string `json:"editor"`
	Path   string `json:"path"`
	Error  string `json:"error"`
}

// Candidate is a server that can be imported. Entries with the same command and arguments, or the
// same URL, are one candidate if they use the same account; see the method takes.
type Candidate struct {
	ID       string   `json:"id"`   // hash of the command, URL and settings, the same in every scan
	Name     string   `json:"name"` // proposed name, which no configured server and no other candidate has
	Sources  []Source `json:"sources" nullable:"false"`
	Existing string   `json:"here"`                      // name of the matching configured server; "" for none
	Secrets  []string `json:"secrets" nullable:"false"`  // places of credentials: env.NAME, args[3], headers.NAME, url
	Problem  string   `json:"problem"`                   // why the candidate cannot be imported; "" when it can
	Warnings []string `json:"warnings" nullable:"false"` // problems that do not prevent the import, such as a missing program
	Command  string   `json:"command"`                   // command line or URL, with credentials redacted
	Preview
	Server table.Server `json:"-"`
}

// Source is a place in which a candidate was found.
type Source struct {
	Editor    string `json:"editor"` // id; "" for a bundle or a text
	Name      string `json:"name"`   // name of the editor
	Path      string `json:"path"`
	Entry     string `json:"entry"` // the server's name in the file
	Disabled  bool   `json:"disabled"`
	Removable bool   `json:"can_take"` // the entry can be removed from the file

	found occurrence
}

// candidates merges entries that have the same account and the same command or URL, in the order
// in which they were found. It leaves out the entries of Agent Discover itself.
func (i *Importer) candidates(ctx context.Context, found []occurrence) []Candidate {
	all := []Candidate{}
	groups := make(map[string][]occurrence) // by destination
	var keys []string
	for n := range found {
		found[n].index = n
	}
	// Sort an entry before those that have only some of its settings.
	slices.SortStableFunc(found, func(a, b occurrence) int { return len(settings(b.server)) - len(settings(a.server)) })
	for _, o := range found {
		if err := i.own(o); err != nil {
			if !o.pasted { // every editor has the entry
				continue
			}
			o.problem = fault.MessageOf(err)
		}
		to := i.destination(o.server)
		text, _ := json.Marshal([]any{to.transport, to.words, to.url, o.server.Dir}) // cannot fail: strings
		key := string(text)
		if o.problem != "" {
			key = fmt.Sprint("\x00", o.index) // a unique key: an unusable entry is not merged with others
		}
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], o)
	}
	for _, key := range keys {
		merged := merge(groups[key])
		warnOfConflicts(merged)
		all = append(all, merged...)
	}
	for _, c := range all { // back into the order in which they were found
		slices.SortStableFunc(c.Sources, func(a, b Source) int { return a.found.index - b.found.index })
	}
	slices.SortStableFunc(all, func(a, b Candidate) int { return a.Sources[0].found.index - b.Sources[0].found.index })
	view, names := i.registryView(), i.takenNames()
	view.matchAll(ctx, all)
	for n := range all {
		names.propose(&all[n])
	}
	return all
}

// own returns an error if an entry is Agent Discover itself.
func (i *Importer) own(o occurrence) error {
	if o.problem != "" {
		return nil
	}
	return i.options.Intake.CheckOwn(newServer(o.entry, "", o.server))
}

// ownEntries returns the enabled entries of editors that connect to this hub over HTTP.
func (i *Importer) ownEntries(found []occurrence) (own []OwnEntry) {
	for _, o := range found {
		if o.server.URL != "" && !o.server.Disabled && o.editor != nil && i.own(o) != nil {
			own = append(own, OwnEntry{o.editor.ID, o.file.Path, o.entry, o.server.URL})
		}
	}
	return own
}

// merge merges entries, which all have the same command or URL, into candidates.
func merge(group []occurrence) []Candidate {
	var all []Candidate
	named := severalSignIns(group)
	for _, o := range group {
		at := slices.IndexFunc(all, func(c Candidate) bool {
			return c.takes(o, named) && maps.Equal(settings(c.Server), settings(o.server))
		})
		if at < 0 {
			at = slices.IndexFunc(all, func(c Candidate) bool { return c.takes(o, named) })
		}
		if at >= 0 {
			all[at].add(o)
			continue
		}
		all = append(all, newCandidate(o))
		if named {
			all[len(all)-1].ID = hashOf([]any{idOf(o), o.entry})
		}
	}
	for n := range all {
		all[n].warnOfDisabled()
	}
	return all
}

func (c *Candidate) warnOfDisabled() {
	if c.Server.Disabled {
		c.warn("it is disabled in its configuration, and stays disabled until you enable it")
	}
}

func newCandidate(o occurrence) Candidate {
	c := Candidate{Server: o.server, Problem: shown(o.problem), Sources: []Source{}, Warnings: []string{}}
	c.ID = idOf(o)
	c.Secrets = launch.Plaintext(o.server.Env, o.server.Args, o.server.Headers, o.server.URL)
	c.Command = shown(redacted(o.server))
	c.Preview = previewOf(o.server)
	c.add(o)
	return c
}

// idOf hashes the command, URL and settings of a server. For an unusable entry, the hash includes
// its place.
func idOf(o occurrence) string {
	parts := []any{
		o.server.Transport, o.server.Command, append([]string{}, o.server.Args...), o.server.Env, o.server.URL, o.server.Headers,
		o.server.Dir,
	}
	if o.problem != "" {
		parts = append(parts, o.file.Path, o.file.Place.Keys, o.entry)
	}
	return hashOf(parts)
}

func hashOf(parts []any) string {
	text, _ := json.Marshal(parts) // cannot fail: strings, and maps in sorted order
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// add adds a place in which the candidate was found, unless the candidate has it already.
func (c *Candidate) add(o occurrence) {
	source := Source{Path: shown(o.file.Path), Entry: shown(o.entry), Disabled: o.server.Disabled, found: o}
	if o.editor != nil {
		source.Editor, source.Name, source.Removable = o.editor.ID, o.editor.Name, !o.readOnly && o.problem == "" && o.entry != ""
	}
	same := func(s Source) bool {
		return pathname.Here.Equal(s.found.file.Path, o.file.Path) && slices.Equal(s.found.file.Place.Keys, o.file.Place.Keys) &&
			s.found.entry == o.entry && s.Editor == source.Editor
	}
	if !o.pasted && slices.ContainsFunc(c.Sources, same) {
		return
	}
	c.Sources = append(c.Sources, source)
	for _, warning := range o.warnings {
		c.warn("%s", warning)
	}
	c.Server.Disabled = c.Server.Disabled && o.server.Disabled // an editor that uses the server decides
}

func (c *Candidate) warn(format string, args ...any) {
	if text := shown(fmt.Sprintf(format, args...)); !slices.Contains(c.Warnings, text) {
		c.Warnings = append(c.Warnings, text)
	}
}

// warnOfConflicts adds warnings to candidates with the same command or URL that differ in
// variables or headers.
func warnOfConflicts(group []Candidate) {
	for n := range group {
		values, lacks := make(map[string]bool), make(map[string]bool)
		own := settings(group[n].Server)
		for _, other := range group {
			for name, value := range settings(other.Server) {
				switch given, has := own[name]; {
				case !has:
					lacks[shown(name)] = true
				case given != value:
					values[shown(name)] = true
				}
			}
		}
		if len(values) > 0 {
			group[n].warn("another entry has the same command with another value of %s", list(values))
		}
		if len(lacks) > 0 {
			group[n].warn("another entry has the same command with %s, which this one lacks", list(lacks))
		}
	}
}

func list(names map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(names)), ", ") }

// redacted returns the command line or URL of a server without its credentials.
func redacted(s table.Server) string {
	var pairs []string
	for _, literal := range literals(s.Transport, s.Args, s.Env, s.URL, s.Headers) {
		pairs = append(pairs, literal.Value, secretscan.Redacted)
	}
	hide := strings.NewReplacer(pairs...)
	if s.URL != "" {
		return secretscan.Redact(hide.Replace(s.URL))
	}
	words := append([]string{s.Command}, s.Args...)
	for n, word := range words {
		word = hide.Replace(word)
		if word == "" || strings.ContainsAny(word, " \t\n\"'") {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		words[n] = word
	}
	return secretscan.Redact(strings.TrimSpace(strings.Join(words, " ")))
}

func literals(transport string, args []string, env map[string]string, address string, headers map[string]string) []launch.Literal {
	return launch.Literals(launch.Launch{Transport: transport, Args: args, Env: env, URL: address, Headers: headers})
}
