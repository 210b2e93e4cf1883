package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

const maxServerName = 64 // characters

func (j *job) servers(ctx context.Context) {
	for _, s := range j.export.Servers {
		item := ImportedItem{Kind: "server", Name: s.Name, Action: Added, Sandbox: s.Sandbox}
		item, err := j.server(ctx, s, item)
		j.done(item, err)
	}
}

func (j *job) server(ctx context.Context, s ExportedServer, item ImportedItem) (ImportedItem, error) {
	own := s.Name
	a := intake.Arrival{
		Server: s.Server, Origin: intake.Person, Values: j.private.Values[own], Readable: true, AnyTransport: true,
	}
	if j.Unseen || !s.Approved { // a server that waits for approval there waits here, too
		a.Origin = intake.Unseen
	}
	if existing, err := j.options.Registry.Get(own); err == nil {
		if same, err := j.same(ctx, existing, s); err != nil || same {
			item.Action = Same
			if err == nil && !j.DryRun && !j.Unseen {
				err = j.completeSecrets(ctx, own)
			}
			return item, err
		}
		switch {
		case j.Conflicts == Skip:
			j.foreign[own], item.Action = true, Skipped
			item.Why = "there is another server of this name; to take this one, too: --conflicts rename"
			return item, nil
		case j.Conflicts == Replace && j.Unseen:
			j.foreign[own], item.Action, item.Why = true, Skipped, "only a person can replace a server: run the command in a terminal"
			return item, nil
		case j.Conflicts == Replace:
			item.Action, a.Known, a.Whole = Replaced, true, true
		default:
			a.Server.Name = freeName(own, maxServerName, func(name string) bool {
				_, err := j.options.Registry.Get(name)
				return err != nil && !j.taken[name]
			})
			item.As, j.renamed[own] = a.Server.Name, a.Server.Name
		}
	}
	j.taken[a.Server.Name] = true
	item.Notes = j.notes(s, a)
	if j.DryRun {
		out, err := j.options.Intake.Check(ctx, a)
		runs := setup.RunsOf(s.Server)
		item.Runs, item.Waiting, item.Sandbox = &runs, !out.Server.Approved, out.Server.Sandbox
		if grants := out.Server.Grants.String(); grants != "" {
			item.Notes = append(item.Notes, "The sandbox of server "+out.Server.Name+" has grants: it "+grants+".")
		}
		return item, err
	}
	if a.Known {
		j.options.Expect(a.Server)
	}
	out, err := j.options.Intake.Add(ctx, a)
	item.Waiting, item.Sandbox = err == nil && !out.Server.Approved, out.Server.Sandbox
	return item, err
}

// same reports whether a configured server is the same as one of the export, apart from values of secrets and from
// whether it is approved.
func (j *job) same(ctx context.Context, existing registry.Server, s ExportedServer) (bool, error) {
	existing, _, err := j.options.Migrator.Without(ctx, existing)
	if err != nil {
		return false, err
	}
	existing.Approved = s.Approved
	a, errA := json.Marshal(existing)
	b, errB := json.Marshal(s.Server)
	return bytes.Equal(a, b), errors.Join(errA, errB)
}

// completeSecrets stores those secrets of a server that it does not have here.
func (j *job) completeSecrets(ctx context.Context, server string) error {
	has, err := j.options.Vault.Names(ctx, server)
	if err != nil {
		return err
	}
	values := j.private.Values[server]
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if slices.Contains(has, name) {
			continue
		}
		if err := j.options.Vault.Set(ctx, server, name, values[name]); err != nil {
			return err
		}
	}
	return nil
}

// notes returns what a person has to do before a server works on this machine.
func (j *job) notes(s ExportedServer, a intake.Arrival) (notes []string) {
	var unset, others []string
	for _, name := range s.Secrets {
		if a.Values[name] == "" && !a.Known {
			unset = append(unset, name)
		}
	}
	for _, name := range launch.Of(s.Server).References() {
		if strings.Contains(name, "/") {
			others = append(others, name)
		}
	}
	sealed := j.DryRun && j.export.Sealed != "" && j.Passphrase == "" // the import will have a passphrase, or say what it lacks
	if len(unset) > 0 && !sealed {
		notes = append(notes, "Its secrets are not in the import; set them with: agent-discover secrets set "+a.Server.Name+" "+
			strings.Join(unset, ", then "))
	}
	if len(others) > 0 {
		notes = append(notes, "It uses secrets of other servers, which you have to allow again on its page: "+strings.Join(others, ", ")+".")
	}
	for _, path := range missingPaths(s.Server) {
		notes = append(notes, "This machine has no "+path+".")
	}
	return notes
}

var driveLetter = regexp.MustCompile(`^[A-Za-z]:[\\/]`)

// PathIn returns the absolute path, or the one in the home folder, that a text in the configuration of a server names, and
// what is before it, as in --root=/data.
func PathIn(text string) (before, path string, ok bool) {
	if option, value, found := strings.Cut(text, "="); found && strings.HasPrefix(option, "-") {
		before, text = option+"=", value
	}
	ok = filepath.IsAbs(text) || driveLetter.MatchString(text) || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~/")
	return before, text, ok && !strings.Contains(text, "${")
}

// missingPaths returns the paths in the configuration of a server that do not exist on this machine.
func missingPaths(s registry.Server) (missing []string) {
	texts := slices.Concat([]string{s.Command, s.Dir}, s.Args, s.Grants.Read, s.Grants.Write)
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		texts = append(texts, s.Env[name])
	}
	home, _ := os.UserHomeDir()
	for _, text := range texts {
		_, text, ok := PathIn(text)
		if !ok || strings.ContainsRune(text, os.PathListSeparator) && !driveLetter.MatchString(text) || slices.Contains(missing, text) {
			continue
		}
		path := text
		if rest, ok := strings.CutPrefix(text, "~/"); ok {
			if home == "" {
				continue
			}
			path = filepath.Join(home, rest)
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
			missing = append(missing, text)
		}
	}
	return missing
}

// serverOf returns the name that a server of the export has here, and false if there is none, or another one.
func (j *job) serverOf(name string) (string, bool) {
	if as, ok := j.renamed[name]; ok {
		return as, true
	}
	if j.foreign[name] {
		return name, false
	}
	if _, err := j.options.Registry.Get(name); err != nil && !j.taken[name] {
		return name, fault.KindOf(err) != fault.NotFound
	}
	return name, true
}
