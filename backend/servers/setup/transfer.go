package setup

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// transfer is one run of an import.
type transfer struct {
	*Importer
	ImportRequest
	original Original
	names    map[string]bool            // names of the imported servers in this hub
	reports  map[string]*ImportedServer // reports of servers that were added or existed, by name in the database
}

// run imports all servers and returns the report.
func (t *transfer) run(ctx context.Context) (ImportReport, error) {
	r := ImportReport{Servers: make([]ImportedServer, len(t.original.Servers)), Problems: []string{}, DryRun: t.DryRun}
	for n, row := range t.original.Servers {
		if err := ctx.Err(); err != nil {
			return r, fault.Wrap(err, fault.Unavailable, "the import was interrupted; run it again to import the rest")
		}
		r.Servers[n].Name = row["name"]
		t.importServer(ctx, row, &r.Servers[n])
	}
	t.importPresets(ctx)
	r.Problems = append(r.Problems, t.orphans()...)
	for _, s := range r.Servers {
		r.Totals.add(s)
	}
	return r, nil
}

// add adds the result of one server to the totals.
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

// importServer imports one server with its tools, secrets and metrics.
func (t *transfer) importServer(ctx context.Context, row Row, r *ImportedServer) {
	wanted, invalid := row.server()
	if as := t.Rename[wanted.Name]; as != "" && as != wanted.Name {
		wanted.Name, r.As = as, as
	}
	here, err := t.findOrAdd(ctx, row, wanted, invalid, r)
	if err != nil {
		r.Status, r.Reason = Failed, fault.MessageOf(err)
		return
	}
	t.names[here.Name] = true
	r.Waiting = !here.Approved && r.Status == Imported
	same := t.runsSame(ctx, here, wanted)
	if !here.Approved && !r.Waiting && (here.ProposedBy != "" || !same) {
		origin := "runs something else"
		if here.ProposedBy != "" {
			origin = "was proposed by an agent"
		}
		r.problem("nothing was imported for it, because a server with this name %s and waits for approval; approve or remove that "+
			"server, then import again", origin)
		return
	}
	if row.flag("quarantined") && r.Status == Imported {
		r.problem("it was quarantined in the database, so after the import it is not always listed")
	}
	t.reports[row["name"]] = r
	if same { // a server that runs something else may have other tools
		t.importTools(ctx, row, here.Name, r)
	}
	t.importSecrets(ctx, row, here.Name, r)
	t.importMetrics(ctx, row, here.Name, r)
}

// findOrAdd returns the server with the wanted name. If it does not exist, findOrAdd
// adds it or, in a dry run, only checks whether it could be added. If invalid is not
// nil, findOrAdd returns that error instead of adding the server.
func (t *transfer) findOrAdd(ctx context.Context, row Row, wanted registry.Server, invalid error,
	r *ImportedServer,
) (registry.Server, error) {
	if err := registry.CheckName(wanted.Name); err != nil {
		r.Proposed = t.propose(wanted.Name)
		return wanted, err
	}
	if t.names[wanted.Name] {
		r.Proposed = t.propose(wanted.Name)
		return wanted, fault.New(fault.Conflict, "another server of the database was imported under this name")
	}
	if here, err := t.registry.Get(wanted.Name); err == nil {
		r.Status, r.Reason = Skipped, "a server with this name exists already"
		if !t.runsSame(ctx, here, wanted) {
			r.Reason += " and runs something else"
		}
		return here, nil
	}
	if invalid != nil {
		return wanted, invalid
	}
	r.Status = Imported
	a, take := intake.Arrival{Server: wanted, Moved: true, Readable: true, Values: t.replacing(ctx, row, wanted)}, t.intake.Add
	if t.Unseen {
		a.Origin = intake.Unseen
	}
	if t.DryRun {
		runs := RunsOf(wanted)
		r.Runs, take = &runs, t.intake.Check
	}
	out, err := take(ctx, a)
	switch {
	case fault.KindOf(err) == fault.Invalid:
		r.Proposed = t.propose(wanted.Name)
	case out.WhyKept != "":
		r.problem("%s", out.WhyKept)
	}
	return out.Server, err
}

// replacing returns the values, by name, of those secrets of a server that have the same name as a variable in its
// configuration. They must be stored before the configuration's credentials move to the vault. Otherwise the value of
// the variable would be stored under that name.
func (t *transfer) replacing(ctx context.Context, row Row, wanted registry.Server) map[string]string {
	if t.intake.Unstorable(ctx) != "" {
		return nil
	}
	values := make(map[string]string)
	for _, secret := range rowsOf(t.original.Secrets, row) {
		if _, has := wanted.Env[secret["key"]]; has && secret["value"] != "" {
			values[secret["key"]] = secret["value"]
		}
	}
	return values
}

// propose returns a valid and free name that is similar to name.
func (t *transfer) propose(name string) string {
	name = registry.NameFrom(name)
	if registry.CheckName(name) != nil {
		name = registry.NameFrom("server-" + name)
	}
	free := name
	for n := 2; t.used(free); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// used reports whether a server in this hub or in the database has this name.
func (t *transfer) used(name string) bool {
	for _, row := range t.original.Servers {
		if row["name"] == name {
			return true
		}
	}
	_, err := t.registry.Get(name)
	return err == nil || t.names[name]
}

// importTools adds a server's tools to the catalog, unless the catalog already
// has tools of the server.
func (t *transfer) importTools(ctx context.Context, row Row, server string, r *ImportedServer) {
	var definitions []json.RawMessage
	for _, tool := range rowsOf(t.original.Tools, row) {
		if tool["name"] != "" {
			definitions = append(definitions, tool.definition())
		}
	}
	if len(definitions) == 0 || len(t.catalog.Snapshot().Of(server)) > 0 {
		return
	}
	if !t.DryRun {
		if _, err := t.catalog.Replace(ctx, server, definitions); err != nil {
			t.reportFailure(r, "its tools", err)
			return
		}
		if err := t.imported(ctx, server); err != nil {
			t.reportFailure(r, "its tools", err)
			return
		}
	}
	r.Tools = len(definitions)
}

// reportFailure adds to the report that an item could not be imported, and logs the
// complete error.
func (t *transfer) reportFailure(r *ImportedServer, what string, err error) {
	t.log.Warn("could not import an item of a server", "server", r.Name, "item", what, "error", err)
	r.problem("could not import %s: %s", what, fault.MessageOf(err))
}

// importSecrets stores those secrets of a server that the server does not have yet.
// In a dry run, it only counts them. The values of secrets never appear in the
// report or the log.
func (t *transfer) importSecrets(ctx context.Context, row Row, server string, r *ImportedServer) {
	rows := rowsOf(t.original.Secrets, row)
	if len(rows) == 0 {
		return
	}
	var existing []string
	var unavailable error
	if t.secrets == nil {
		unavailable = fault.New(fault.Unavailable, "no keychain is available to store it")
	} else {
		existing, unavailable = t.secrets.Names(ctx, server)
	}
	if why := t.intake.Unstorable(ctx); t.DryRun && unavailable == nil && why != "" {
		unavailable = fault.New(fault.Unavailable, "%s", why)
	}
	for _, secret := range rows {
		name, value, err := secret["key"], secret["value"], unavailable
		switch {
		case err != nil:
		case slices.Contains(existing, name):
			if r.Status == Imported { // the server was added with this secret
				r.Secrets++
			}
			continue
		case value == "":
			r.problem("secret %s has no value in the database (later versions keep values elsewhere); set it again", name)
			continue
		case !t.DryRun:
			err = t.secrets.Set(ctx, server, name, value)
		}
		if err != nil {
			t.reportFailure(r, "secret "+name, err)
			continue
		}
		existing = append(existing, name)
		r.Secrets++
	}
}

// importMetrics adds the metrics of a server's tools, except for tools that have
// metrics in this hub already.
func (t *transfer) importMetrics(ctx context.Context, row Row, server string, r *ImportedServer) {
	for _, numbers := range rowsOf(t.original.Metrics, row) {
		m := numbers.metric(server)
		if m.Tool == "" || m.Calls == 0 {
			continue
		}
		added, err := t.metrics.AddMetric(ctx, m, t.DryRun)
		if err != nil {
			t.reportFailure(r, "the metrics of "+m.Tool, err)
		} else if added {
			r.Metrics++
		}
	}
}

// importPresets imports the presets of all servers. Rows of presets refer to their server by name, and rows of other
// tables by id.
func (t *transfer) importPresets(ctx context.Context) {
	for _, row := range t.original.Presets {
		r := t.reports[row["server_name"]]
		if r == nil {
			continue
		}
		p := Preset{
			Server: cmp.Or(r.As, r.Name), Kind: row["kind"], Target: row["target_name"], Name: row["preset_name"],
			Payload: object(row["payload"]),
		}
		if p.Kind != "tool" && p.Kind != "prompt" || p.Target == "" || p.Name == "" || p.Payload == nil {
			r.problem("could not read preset %q of %q", row["preset_name"], row["target_name"])
			continue
		}
		added, err := t.presets.AddPreset(ctx, p, t.DryRun)
		if err != nil {
			t.reportFailure(r, fmt.Sprintf("preset %q of %q", p.Name, p.Target), err)
		} else if added {
			r.Presets++
		}
	}
}

// orphans returns a problem for each table with rows that belong to no server of the database.
func (t *transfer) orphans() []string {
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
			out = append(out, fmt.Sprintf("could not import %d %s: the database has no servers that they belong to", n, what))
		}
	}
	count("tools", t.original.Tools, ids, "server_id")
	count("secrets", t.original.Secrets, ids, "server_id")
	count("metrics", t.original.Metrics, ids, "server_id")
	count("presets", t.original.Presets, names, "server_name")
	return out
}

// runsSame reports whether here, a server of this hub, and wanted, a server of the imported database, have the same
// launch except for its source.
func (t *transfer) runsSame(ctx context.Context, here, wanted registry.Server) bool {
	here.Source = wanted.Source
	return t.intake.Runs(ctx, here, wanted)
}
