// Package risk describes the abilities of a server once it is started, and suspicious parts of its configuration, in
// sentences for the person who decides whether the server may run. The package judges only the configuration: it runs
// nothing and reads no file. Proposals of agents and imports show the same sentences.
//
// It decides nothing and hides nothing. A person judges the configuration itself, which is always shown in full; the
// sentences only say where to look.
package risk

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Assessment describes the risk of starting a server. Hidden characters in its sentences are escaped. The sentences
// contain no value of a variable or header, except for the decoded content of encoded text.
type Assessment struct {
	Consequence string   `json:"consequence" doc:"The abilities of the server once it is started, as a sentence."`
	Warnings    []string `json:"warnings" nullable:"false" doc:"Suspicious properties of the configuration, as sentences, worst first."`
	Marks       []Mark   `json:"marks" nullable:"false" doc:"The places in the configuration that the warnings are about, in the order of the warnings."`
}

// Assess returns the assessment of a server's configuration.
func Assess(s registry.Server) Assessment {
	a := Assessment{Consequence: consequence(s), Warnings: []string{}, Marks: marksOf(s)}
	for _, mark := range a.Marks {
		if !slices.Contains(a.Warnings, mark.Text) {
			a.Warnings = append(a.Warnings, mark.Text)
		}
	}
	return a
}

// AssessImport is Assess for a server whose credentials are going to be stored as secrets. It does not warn of
// credentials in plain text.
func AssessImport(s registry.Server) Assessment {
	a := Assess(s)
	for _, mark := range a.Marks {
		if mark.Kind == Credential {
			a.Warnings = slices.DeleteFunc(a.Warnings, func(text string) bool { return text == mark.Text })
		}
	}
	a.Marks = slices.DeleteFunc(a.Marks, func(mark Mark) bool { return mark.Kind == Credential })
	return a
}

func remote(s registry.Server) bool { return s.Transport != "" && s.Transport != "stdio" }

// These are the kinds of warnings. The slice order lists them, worst first.
const (
	Pipes       = "pipes"       // a script passes its input or a download to an interpreter
	Encoded     = "encoded"     // a text hides its content in an encoding
	Elevates    = "elevates"    // the program asks for the rights of an administrator, or the container can reach this computer
	Hidden      = "hidden"      // characters that cannot be seen
	Spaces      = "spaces"      // a long run of white space
	RunsScript  = "runs_script" // a shell or interpreter runs a script in the arguments
	Loads       = "loads"       // a variable or option changes which code is loaded
	Redirects   = "redirects"   // a program, package or connection has an unexpected source or destination
	Foreign     = "foreign"     // characters outside of ASCII, which may look like others
	Long        = "long"        // a text that is easy to skip
	Credential  = "credential"  // a credential in plain text
	OtherSecret = "other_secret"
	Sends       = "sends" // a variable of the user's environment goes to a remote server
)

var order = []string{Pipes, Encoded, Elevates, Hidden, Spaces, RunsScript, Loads, Redirects, Sends, OtherSecret, Foreign, Long, Credential}

// Mark is a warning about one place in a configuration.
type Mark struct {
	Kind  string `json:"kind" doc:"Kind of the warning, for programs. More kinds may be added."`
	Place string `json:"place" doc:"The place in the configuration: description, command, args[N], env.NAME, headers.NAME or url."`
	Match string `json:"match,omitempty" doc:"The suspicious part of the text at the place named by place, to highlight; empty for the whole text."`
	Text  string `json:"text" doc:"The warning as a sentence."`
}

// place is one text of a configuration.
type place struct {
	where string // as in Mark.Place
	label string // description of the place, for people
	name  string // name of the variable or header; "" for other texts
	text  string
}

// places returns the texts of a server that determine its start, in the order in which a person sees them.
func places(s registry.Server) []place {
	var out []place
	if s.Command != "" {
		out = append(out, place{"command", "The program", "", s.Command})
	}
	for i, arg := range s.Args {
		out = append(out, place{fmt.Sprintf("args[%d]", i), fmt.Sprintf("Argument %d", i+1), "", arg})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		out = append(out, place{"env." + name, "The variable " + safetext.Visible(name), name, s.Env[name]})
	}
	if address := s.URL; remote(s) && address != "" {
		out = append(out, place{"url", "The address", "", address})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		out = append(out, place{"headers." + name, "The header " + safetext.Visible(name), name, s.Headers[name]})
	}
	return out
}

// marksOf returns the warnings about a server, worst first.
func marksOf(s registry.Server) []Mark {
	r := &report{server: s, list: []Mark{}}
	all := places(s)
	for _, p := range all {
		r.characters(p)
		r.scripts(p)
		r.encodings(p)
	}
	r.characters(place{"description", "The description", "", s.Description})
	r.program()
	r.options()
	r.variables()
	r.address()
	r.sent(all)
	r.secrets(all)
	slices.SortStableFunc(r.list, func(a, b Mark) int {
		return cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind))
	})
	return r.list
}

// report collects the warnings about one server.
type report struct {
	server registry.Server
	list   []Mark
}

// add adds a warning, once for each kind and place.
func (r *report) add(kind, where, match, format string, args ...any) {
	for _, known := range r.list {
		if known.Kind == kind && known.Place == where {
			return
		}
	}
	r.list = append(r.list, Mark{Kind: kind, Place: where, Match: match, Text: fmt.Sprintf(format, args...)})
}

// maxRead is the length, in characters, above which a warning asks the person to read a text to its end.
const maxRead = 400

// characters warns of text that cannot be seen, looks like other text, or pushes
// other text out of sight.
func (r *report) characters(p place) {
	prose := p.where == "description"
	shown := p.name + p.text
	if i := strings.IndexFunc(shown, func(c rune) bool { return safetext.Hidden(c) && !(prose && (c == '\n' || c == '\t')) }); i >= 0 {
		r.add(Hidden, p.where, "",
			"It contains characters that are invisible or change the order of others. They are shown as escapes such as \\u202e.")
	}
	if run := safetext.LongestRun(p.text); run >= safetext.MaxRun {
		r.add(Spaces, p.where, "", "%s contains %d spaces in a row, which can push text out of sight.", p.label, run)
	}
	if prose {
		return
	}
	if strings.IndexFunc(shown, func(c rune) bool { return c > '~' && !safetext.Hidden(c) }) >= 0 {
		r.add(Foreign, p.where, "", "It contains characters outside of ASCII, which may look like others.")
	}
	if n := len([]rune(p.text)); n > maxRead {
		r.add(Long, p.where, "", "%s has %d characters. Read it to the end.", p.label, n)
	}
}

var reference = lazyregexp.New(`\$\{env:([A-Za-z_][A-Za-z0-9_]*)`)

// sent warns of variables of the user's environment whose values a remote server
// gets.
func (r *report) sent(all []place) {
	var names []string
	for _, p := range all {
		for _, found := range reference.FindAllStringSubmatch(p.text, -1) {
			names = append(names, found[1])
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, p := range all {
		if at := reference.FindString(p.text); at != "" && remote(r.server) {
			r.add(Sends, p.where, at, "It sends %s of your environment to %s.", strings.Join(names, ", "), hostOf(r.server.URL))
		}
	}
}

// secrets warns of credentials in plain text, and of references to secrets of
// other servers.
func (r *report) secrets(all []place) {
	s := r.server
	open := launch.Plaintext(s.Env, s.Args, s.Headers, s.Endpoint())
	for _, where := range open {
		if len(open) == 1 {
			r.add(Credential, where, "", "It contains 1 credential in plain text.")
		} else {
			r.add(Credential, where, "", "It contains %d credentials in plain text.", len(open))
		}
	}
	for _, p := range all {
		for _, name := range launch.References(p.text) {
			if owner, secret, other := strings.Cut(name, "/"); other {
				r.add(OtherSecret, p.where, launch.Reference(name), "%s asks for the secret %s of the server %s.",
					p.label, safetext.Visible(secret), safetext.Visible(owner))
			}
		}
	}
}
