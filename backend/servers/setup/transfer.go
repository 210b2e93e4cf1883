package setup

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// transfer is one import.
type transfer struct {
	*Importer
	ImportRequest
	original Original
	names    map[string]bool            // that servers of the file have here
	reports  map[string]*ImportedServer // of servers that are here in the end, by their name there
}

func newTransfer(i *Importer, q ImportRequest, o Original) *transfer {
	return &transfer{Importer: i, ImportRequest: q, original: o, names: make(map[string]bool), reports: make(map[string]*ImportedServer)}
}

func (t *transfer) run(ctx context.Context) (ImportReport, error) {
	r := ImportReport{Servers: make([]ImportedServer, len(t.original.Servers)), Problems: []string{}, DryRun: t.DryRun}
	for n, row := range t.original.Servers {
		if err := ctx.Err(); err != nil {
			return r, fault.Wrap(err, fault.Unavailable, "the import was cut short; run it again for the rest")
		}
		r.Servers[n].Name = row["name"]
		t.bring(ctx, row, &r.Servers[n])
	}
	t.bringPresets(ctx)
	r.Problems = append(r.Problems, t.strays()...)
	for _, s := range r.Servers {
		r.Totals.add(s)
	}
	return r, nil
}

func (t *ImportTotals) add(s ImportedServer) {
	switch s.Status {
	case Imported:
		t.Imported++
	case Skipped:
		t.Skipped++
	default:
		t.Failed++
	}
	t.Tools += s.Tools
	t.Secrets += s.Secrets
	t.Presets += s.Presets
	t.Metrics += s.Metrics
}

// bring brings in one server and what is its.
func (t *transfer) bring(ctx context.Context, row Row, r *ImportedServer) {
	wanted, wrong := row.server()
	if as := t.Rename[wanted.Name]; as != "" && as != wanted.Name {
		wanted.Name, r.As = as, as
	}
	here, err := t.place(ctx, wanted, wrong, r)
	if err != nil {
		r.Status, r.Reason = Failed, fault.MessageOf(err)
		return
	}
	t.names[here.Name] = true
	if !here.Approved {
		r.problem("nothing of it came in: the server here was proposed by an agent and waits for approval. Approve or remove that one, then import again")
		return
	}
	if row.yes("quarantined") && r.Status == Imported {
		r.problem("it was set aside there, and comes in switched off")
	}
	t.reports[row["name"]] = r
	if lifecycle.LaunchHash(here) == lifecycle.LaunchHash(wanted) { // else it has other tools
		t.bringTools(ctx, row, here.Name, r)
	}
	t.bringSecrets(ctx, row, here.Name, r)
	t.bringMetrics(ctx, row, here.Name, r)
}

// place finds the server that a row stands for, or makes it.
func (t *transfer) place(ctx context.Context, wanted registry.Server, wrong error, r *ImportedServer) (registry.Server, error) {
	if err := registry.CheckName(wanted.Name); err != nil {
		r.Proposed = t.propose(wanted.Name)
		return wanted, err
	}
	if t.names[wanted.Name] {
		r.Proposed = t.propose(wanted.Name)
		return wanted, fault.New(fault.Conflict, "another server of the file has come in by this name")
	}
	if here, err := t.Registry.Get(wanted.Name); err == nil {
		r.Status, r.Reason = Skipped, "a server of this name is here already"
		if lifecycle.LaunchHash(here) != lifecycle.LaunchHash(wanted) {
			r.Reason += " and runs something else"
		}
		return here, nil
	}
	if wrong != nil {
		return wanted, wrong
	}
	r.Status = Imported
	if t.DryRun {
		wanted.Approved = true
		return wanted, nil
	}
	return t.Lifecycle.Add(ctx, wanted)
}

// propose makes a name that is free and can be taken of one that cannot.
func (t *transfer) propose(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-", r)) {
			return r
		}
		return '-'
	}, strings.TrimSpace(name))
	for strings.Contains(name, "__") {
		name = strings.ReplaceAll(name, "__", "_")
	}
	name = strings.Trim(name[:min(len(name), 48)], "_-")
	if registry.CheckName(name) != nil {
		name = strings.Trim("server-"+name, "-")
	}
	free := name
	for n := 2; t.used(free); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// used reports whether a server here or in the file has a name.
func (t *transfer) used(name string) bool {
	for _, row := range t.original.Servers {
		if row["name"] == name {
			return true
		}
	}
	_, err := t.Registry.Get(name)
	return err == nil || t.names[name]
}

// bringTools puts tools into the catalog where no start has listed any.
func (t *transfer) bringTools(ctx context.Context, row Row, server string, r *ImportedServer) {
	var definitions []json.RawMessage
	for _, tool := range of(t.original.Tools, row) {
		if tool["name"] != "" {
			definitions = append(definitions, tool.definition())
		}
	}
	if len(definitions) == 0 || len(t.Catalog.Snapshot().Of(server)) > 0 {
		return
	}
	if !t.DryRun {
		if _, err := t.Catalog.Replace(ctx, server, definitions); err != nil {
			t.missing(r, "its tools", err)
			return
		}
	}
	r.Tools = len(definitions)
}

// missing notes what did not come in, and the whole chain of why in the log.
func (t *transfer) missing(r *ImportedServer, what string, err error) {
	t.Log.Warn("import: something did not come in", "server", r.Name, "what", what, "error", err)
	r.problem("%s did not come in: %s", what, fault.MessageOf(err))
}

// bringSecrets keeps secrets that are not here. Values are in no message.
func (t *transfer) bringSecrets(ctx context.Context, row Row, server string, r *ImportedServer) {
	for _, secret := range of(t.original.Secrets, row) {
		name, value := secret["key"], secret["value"]
		has, err := t.Names.HasSecret(ctx, server, name)
		switch {
		case err != nil:
		case has:
			continue
		case value == "":
			r.problem("secret %s has no value in the file (later versions keep values elsewhere); set it anew", name)
			continue
		case t.Secrets == nil:
			err = fault.New(fault.Unavailable, "there is no keychain to keep it in")
		case !t.DryRun:
			err = t.Secrets.Set(ctx, server, name, value)
		}
		if err != nil {
			t.missing(r, "secret "+name, err)
			continue
		}
		r.Secrets++
	}
}

func (t *transfer) bringMetrics(ctx context.Context, row Row, server string, r *ImportedServer) {
	for _, numbers := range of(t.original.Metrics, row) {
		m := numbers.metric(server)
		if m.Tool == "" || m.Calls == 0 {
			continue
		}
		added, err := t.Metrics.AddMetric(ctx, m, t.DryRun)
		if err != nil {
			t.missing(r, "the numbers of "+m.Tool, err)
		} else if added {
			r.Metrics++
		}
	}
}

// bringPresets brings in presets, which belong to servers by name.
func (t *transfer) bringPresets(ctx context.Context) {
	for _, row := range t.original.Presets {
		r := t.reports[row["server_name"]]
		if r == nil {
			continue
		}
		server := r.Name
		if r.As != "" {
			server = r.As
		}
		p, ok := row.preset(server)
		if !ok {
			r.problem("preset %q of %q cannot be read", row["preset_name"], row["target_name"])
			continue
		}
		added, err := t.Presets.AddPreset(ctx, p, t.DryRun)
		if err != nil {
			t.missing(r, fmt.Sprintf("preset %q of %q", p.Name, p.Target), err)
		} else if added {
			r.Presets++
		}
	}
}

// strays tells of rows whose server is not in the file.
func (t *transfer) strays() []string {
	ids, names := make(map[string]bool), make(map[string]bool)
	for _, row := range t.original.Servers {
		ids[row["id"]], names[row["name"]] = true, true
	}
	var out []string
	count := func(what string, rows []Row, known map[string]bool, column string) {
		n := 0
		for _, row := range rows {
			if !known[row[column]] {
				n++
			}
		}
		if n > 0 {
			out = append(out, fmt.Sprintf("%d %s did not come in: the file has no server that they belong to", n, what))
		}
	}
	count("tools", t.original.Tools, ids, "server_id")
	count("secrets", t.original.Secrets, ids, "server_id")
	count("metrics", t.original.Metrics, ids, "server_id")
	count("presets", t.original.Presets, names, "server_name")
	return out
}
