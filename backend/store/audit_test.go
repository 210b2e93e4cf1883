package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/calls/audit"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
)

// audited is a store with an audit log, and the files about the log that a hub keeps outside of the store.
type audited struct {
	t         *testing.T
	file      string
	store     *Store
	log       *audit.Log
	hubLog    *strings.Builder
	retention time.Duration
}

func openAudited(t *testing.T) *audited {
	t.Helper()
	a := &audited{t: t, file: filepath.Join(t.TempDir(), "discover.db"), hubLog: new(strings.Builder)}
	a.open()
	t.Cleanup(func() { _ = a.store.Close() })
	return a
}

func (a *audited) open() {
	a.t.Helper()
	var err error
	if a.store, err = Open(a.t.Context(), a.file); err != nil {
		a.t.Fatal(err)
	}
	a.log, err = audit.Open(a.t.Context(), audit.Options{
		Store: a.store.Audit, File: a.head(), Begun: a.begun(), Retention: a.retention,
		Log:    slog.New(slog.NewTextHandler(a.hubLog, nil)),
		Logged: func() []audit.Head { return audit.LoggedHeads(strings.NewReader(a.hubLog.String())) },
	})
	if err != nil {
		a.t.Fatal(err)
	}
}

func (a *audited) head() string { return filepath.Join(filepath.Dir(a.file), "audit.head") }

func (a *audited) begun() string { return filepath.Join(filepath.Dir(a.file), "begun") }

func (a *audited) reopen() {
	a.t.Helper()
	if err := a.store.Close(); err != nil {
		a.t.Fatal(err)
	}
	a.open()
}

// add adds n entries about calls that began at a time.
func (a *audited) add(at time.Time, n int) {
	a.t.Helper()
	entries := make([]audit.Entry, n)
	for i := range entries {
		entries[i] = audit.Entry{At: at, Kind: "call", Client: "cursor", Server: "s", Tool: fmt.Sprint("t", i), Outcome: "ok"}
	}
	err := a.log.Append(entries, func(s []audit.Sealed) error { return a.store.Audit.AppendAudit(a.t.Context(), s) })
	if err != nil {
		a.t.Fatal(err)
	}
}

// tamper changes the database as another program could.
func (a *audited) tamper(statements ...string) {
	a.t.Helper()
	db, err := open(a.file, "rw", 1, busyTimeout(lockWait))
	if err != nil {
		a.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, s := range append([]string{"DROP TRIGGER IF EXISTS audit_is_not_changed", "DROP TRIGGER IF EXISTS audit_is_not_cut"},
		statements...) {
		if _, err := db.Exec(s); err != nil {
			a.t.Fatal(s, err)
		}
	}
}

func (a *audited) verify() audit.Report {
	a.t.Helper()
	r, err := a.log.Verify(a.t.Context())
	if err != nil {
		a.t.Fatal(err)
	}
	return r
}

func TestTheFirstBrokenEntryOfTheAuditLogIsFound(t *testing.T) {
	for name, row := range map[string]struct {
		tamper []string
		broken int64
		text   string
	}{
		"nothing": {nil, 0, ""},
		"changed": {
			[]string{`UPDATE audit SET entry = replace(entry, '"ok"', '"failed"') WHERE seq IN (4, 7)`}, 4, "entry 4 was changed",
		},
		"changed hash":  {[]string{`UPDATE audit SET hash = lower(hex(randomblob(32))) WHERE seq = 4`}, 4, "entry 4 was changed"},
		"changed time":  {[]string{`UPDATE audit SET at = at + 1 WHERE seq = 4`}, 4, "entry 4 was changed"},
		"deleted":       {[]string{`DELETE FROM audit WHERE seq IN (4, 5)`}, 4, "entries 4 to 5 are missing"},
		"first deleted": {[]string{`DELETE FROM audit WHERE seq = 1`}, 1, "entry 1 is missing"},
		"swapped": {[]string{
			`UPDATE audit SET seq = 100 WHERE seq = 4`, `UPDATE audit SET seq = 4 WHERE seq = 5`,
			`UPDATE audit SET seq = 5 WHERE seq = 100`,
		}, 4, "entry 4 was changed"},
		"renumbered": {
			[]string{
				`DELETE FROM audit WHERE seq = 4`, `UPDATE audit SET seq = -seq WHERE seq > 4`,
				`UPDATE audit SET seq = -seq - 1 WHERE seq < 0`,
			}, 4, "entry 4 was changed",
		},
		"cut at the end": {[]string{`DELETE FROM audit WHERE seq > 7`}, 8, "entries 8 to 10 are missing"},
		"emptied":        {[]string{`DELETE FROM audit`}, 1, "entries 1 to 10 are missing"},
		"cut at the beginning": {
			[]string{
				`INSERT INTO audit_anchor SELECT 1, seq, hash FROM audit WHERE seq = 3`, `DELETE FROM audit WHERE seq <= 3`,
			}, 1, "entries up to 3 were deleted",
		},
		"inserted at the beginning": {[]string{`INSERT INTO audit VALUES (0, 0, '{}', '')`}, 1, "entry 0 is not at its place"},
		"not JSON":                  {[]string{`UPDATE audit SET entry = 'x' WHERE seq = 10`}, 10, "entry 10 was changed"},
	} {
		t.Run(name, func(t *testing.T) {
			a := openAudited(t)
			a.add(time.Now(), 10)
			a.tamper(row.tamper...)
			if got := a.verify(); got.Broken != row.broken || got.Intact != (row.broken == 0) || !strings.Contains(got.Problem, row.text) {
				t.Errorf("while the hub runs: %+v", got)
			}
			a.reopen()
			a.add(time.Now(), 1)
			if got := a.verify(); got.Broken != row.broken {
				t.Errorf("after a restart: %+v", got)
			}
		})
	}
}

func TestAReplacedEntryDoesNotFitTheNextOne(t *testing.T) {
	a := openAudited(t)
	a.add(time.Now(), 5)
	found, err := a.store.Audit.AuditEntries(t.Context(), audit.Query{After: 2, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(found[0].Text, `"ok"`, `"failed"`, 1)
	a.tamper(fmt.Sprintf("UPDATE audit SET entry = '%s', hash = '%s' WHERE seq = 3", text, audit.HashOf([]byte(text))))
	if got := a.verify(); got.Broken != 4 || !strings.Contains(got.Problem, "does not follow") {
		t.Errorf("got %+v", got)
	}
}

// TestAForgedEndIsFound changes the last entry and recomputes its hash, as an attacker who knows the format can.
func TestAForgedEndIsFound(t *testing.T) {
	a := openAudited(t)
	a.add(time.Now(), 5)
	last, err := a.store.Audit.AuditEntries(t.Context(), audit.Query{After: 4})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(last[0].Text, `"ok"`, `"failed"`, 1)
	a.tamper(fmt.Sprintf("UPDATE audit SET entry = '%s', hash = '%s' WHERE seq = 5", text, audit.HashOf([]byte(text))))
	if got := a.verify(); got.Broken != 5 {
		t.Errorf("with the file: %+v", got)
	}
	// The attacker also forges the file in which the hub keeps the hash of the last entry.
	if err := a.store.Close(); err != nil {
		t.Fatal(err)
	}
	a.log.Announce()
	if err := os.WriteFile(a.head(), fmt.Appendf(nil, `{"seq":5,"hash":%q}`, audit.HashOf([]byte(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	a.open()
	if got := a.verify(); got.Broken != 5 {
		t.Errorf("with the log of the hub: %+v", got)
	}
}

func TestAMissingHeadIsKeptInMind(t *testing.T) {
	a := openAudited(t)
	a.add(time.Now(), 3)
	if err := os.Remove(a.head()); err != nil {
		t.Fatal(err)
	}
	a.reopen()
	if got := a.verify(); got.Broken != 4 || !strings.Contains(got.Problem, "is missing or cannot be read") {
		t.Errorf("got %+v", got)
	}
}

func TestEntriesThatTheHeadDoesNotKnowYetAreWhole(t *testing.T) {
	a := openAudited(t)
	a.add(time.Now(), 3)
	early, err := os.ReadFile(a.head())
	if err != nil {
		t.Fatal(err)
	}
	a.add(time.Now(), 3)
	if err := os.WriteFile(a.head(), early, 0o600); err != nil { // the hub was killed before it replaced the file
		t.Fatal(err)
	}
	a.reopen()
	if got := a.verify(); !got.Intact || got.Last != 6 {
		t.Errorf("got %+v", got)
	}
}

func TestEntriesThatTheLastHubCouldNotStoreAreAGap(t *testing.T) {
	for name, row := range map[string]struct {
		change func(begun string) error
		count  int64
		note   string
	}{
		"removed": {os.Remove, 0, "is missing"},
		"emptied": {func(begun string) error { return os.Truncate(begun, 0) }, 0, "is damaged"},
		"counted": {func(begun string) error {
			return os.WriteFile(begun, []byte(`{"note":"requests in flight"}`+"\n"+
				`{"at":"2026-01-02T03:04:05.000Z","note":"overflow","count":   7}`+"\n\x00"), 0o600)
		}, 7, "from 2026-01-02 03:04:05 (UTC) on"},
	} {
		t.Run(name, func(t *testing.T) {
			a := openAudited(t)
			a.add(time.Now(), 3)
			a.reopen() // as after a kill
			if got := a.verify(); len(got.Gaps) != 0 {
				t.Errorf("before: %+v", got)
			}
			if err := row.change(a.begun()); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second time there is nothing to note
				a.reopen()
				got := a.verify()
				if !got.Intact || len(got.Gaps) != 1 || got.Gaps[0].Count != row.count || !strings.Contains(got.Gaps[0].Note, row.note) {
					t.Errorf("got %+v", got)
				}
			}
		})
	}
}

func TestOtherProgramsCannotChangeTheAuditLogByMistake(t *testing.T) {
	a := openAudited(t)
	a.add(time.Now(), 3)
	for _, statement := range []string{"UPDATE audit SET at = 0", "DELETE FROM audit WHERE seq = 2"} {
		if _, err := a.store.db.write.ExecContext(t.Context(), statement); err == nil {
			t.Errorf("%s was allowed", statement)
		}
	}
}

func TestARetentionKeepsTheChainVerifiable(t *testing.T) {
	a := openAudited(t)
	a.retention = 48 * time.Hour
	a.reopen()
	a.add(time.Now().Add(-100*time.Hour), 1200)
	a.add(time.Now(), 5)
	for range 2 { // the second time there is nothing to delete
		if err := a.log.Trim(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := a.verify(); !got.Intact || got.First != 1201 || got.Last != 1206 || got.Entries != 6 {
		t.Errorf("got %+v", got)
	}
	found, err := a.store.Audit.AuditEntries(t.Context(), audit.Query{Newest: true, Limit: 1})
	if err != nil || !strings.Contains(found[0].Text, `"kind":"retention"`) ||
		!strings.Contains(found[0].Text, `"count":1200,"through":{"seq":1200,`) {
		t.Errorf("got %v, %v", found, err)
	}
	a.reopen()
	a.add(time.Now(), 1)
	if got := a.verify(); !got.Intact || got.Last != 1207 {
		t.Errorf("after a restart: %+v", got)
	}
	a.tamper("DELETE FROM audit WHERE seq = 1201")
	if got := a.verify(); got.Broken != 1201 {
		t.Errorf("the entry after the anchor was deleted: %+v", got)
	}
}

// TestTheAssumedTimeIsKeptOverRestarts opens the log as after a jump of the clock by two years.
func TestTheAssumedTimeIsKeptOverRestarts(t *testing.T) {
	a := openAudited(t)
	a.retention = 48 * time.Hour
	then := time.Now().AddDate(-2, 0, 0).UTC()
	a.add(then.Add(-24*time.Hour), 3)
	text, err := os.ReadFile(a.head())
	if err != nil {
		t.Fatal(err)
	}
	var head map[string]any
	if err := json.Unmarshal(text, &head); err != nil {
		t.Fatal(err)
	}
	head["trusted"] = then
	if text, err = json.Marshal(head); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(a.head(), text, 0o600); err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		a.reopen()
		if err := a.log.Trim(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := a.log.Expired(0).Sub(then); got < 0 || got > 12*time.Hour {
			t.Errorf("at start %d the assumed time is %v later", n+1, got)
		}
		if got := a.verify(); !got.Intact || got.First != 1 {
			t.Errorf("at start %d: %+v", n+1, got)
		}
	}
}

func TestAnExportIsVerifiedWithoutTheDatabase(t *testing.T) {
	a := openAudited(t)
	a.add(time.Now(), 6)
	entries, err := a.store.Audit.AuditEntries(t.Context(), audit.Query{After: 1})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range entries {
		lines = append(lines, e.Line())
	}
	for name, row := range map[string]struct {
		change func([]string) []string
		broken int64
	}{
		"whole":   {func(l []string) []string { return l }, 0},
		"empty":   {func([]string) []string { return nil }, 0},
		"changed": {func(l []string) []string { l[2] = strings.Replace(l[2], `"ok"`, `"no"`, 1); return l }, 4},
		"deleted": {func(l []string) []string { return append(l[:2], l[3:]...) }, 4},
		"swapped": {func(l []string) []string { l[1], l[2] = l[2], l[1]; return l }, 3},
		"no line": {func(l []string) []string { l[1] = "{}"; return l }, 3},
	} {
		changed := row.change(append([]string(nil), lines...))
		if got, err := audit.VerifyExport(strings.NewReader(strings.Join(changed, "\n"))); err != nil || got.Broken != row.broken {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// runJournal opens a journal with the audit log and runs it until stop is called.
func (a *audited) runJournal() (j *journal.Journal, stop func()) {
	a.t.Helper()
	j, err := journal.Open(a.t.Context(),
		journal.Options{Store: a.store.Calls, Bus: &events.Bus{}, Log: slog.New(slog.DiscardHandler), Audit: a.log})
	if err != nil {
		a.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(a.t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = j.Run(ctx) })
	return j, func() { cancel(); running.Wait() }
}

// refusing is a store that accepts no records.
type refusing struct{ journal.Store }

func (refusing) AppendRecords(context.Context, []journal.Record, []journal.Tally, []audit.Sealed) error {
	return errors.New("no space left")
}

func TestARefusedCallThatWaitsOutlivesTheHub(t *testing.T) {
	a := openAudited(t)
	broken, err := journal.Open(t.Context(),
		journal.Options{Store: refusing{a.store.Calls}, Bus: &events.Bus{}, Log: slog.New(slog.DiscardHandler), Audit: a.log})
	if err != nil {
		t.Fatal(err)
	}
	broken.Record(journal.Record{Server: "s", Tool: "denied", Outcome: journal.Refused, Code: "denied"}, []byte(`{"a":1}`), nil, nil)
	broken.Record(journal.Record{Kind: journal.Trust, Server: "s", Tool: "held", Outcome: journal.Refused}, nil, nil, nil)
	if p := broken.Problem(); p.Err == nil || p.Entries != 2 {
		t.Errorf("got %+v", p)
	}
	a.reopen() // as after a kill
	j, stop := a.runJournal()
	if err := j.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop()
	found, err := a.store.Audit.AuditEntries(t.Context(), audit.Query{Outcome: "refused"})
	if err != nil || len(found) != 2 || !strings.Contains(found[0].Text, audit.HashOf([]byte(`{"a":1}`))) {
		t.Errorf("got %v, %v", found, err)
	}
	records, err := a.store.Calls.Records(t.Context(), journal.Query{Limit: 10})
	if err != nil || len(records) != 2 || records[1].Args != `"`+journal.NotRecorded+`"` {
		t.Errorf("got %+v, %v", records, err)
	}
}

func TestCallsFromManySessionsAreInOneChain(t *testing.T) {
	a := openAudited(t)
	j, stop := a.runJournal()
	const sessions, calls = 16, 100
	var calling sync.WaitGroup
	for s := range sessions {
		calling.Go(func() {
			for i := range calls {
				how := journal.OK
				if i%10 == 0 {
					how = journal.Refused
				}
				j.Record(journal.Record{
					Client: "cursor", Editor: "cursor", Session: fmt.Sprint(s), Token: "k", Road: "call_tool", Code: "denied", Server: "s",
					Tool: fmt.Sprint(i), Outcome: how,
				}, []byte(`{"password":"swordfish"}`), nil, nil)
			}
		})
	}
	calling.Wait()
	j.Record(journal.Record{Kind: journal.Notification, Server: "s", Outcome: journal.OK}, nil, nil, nil)
	j.Record(journal.Record{Kind: journal.ResourceRead, Server: "s", Tool: "file:///a", Outcome: journal.OK, Unlisted: true}, nil, nil, nil)
	stop()
	if got := a.verify(); !got.Intact || got.Entries != sessions*calls+1 {
		t.Errorf("got %+v", got)
	}
	refused, err := a.store.Audit.AuditEntries(t.Context(),
		audit.Query{Outcome: "refused", Server: "s", Client: "cursor", Tool: "10", Limit: 1})
	if err != nil || len(refused) != 1 {
		t.Fatal(refused, err)
	}
	e, err := refused[0].Entry()
	if err != nil || e.Editor != "cursor" || e.Session == "" || e.Token != "k" || e.Road != "call_tool" || e.Code != "denied" ||
		e.ArgumentsSHA256 != audit.HashOf([]byte(`{"password":"swordfish"}`)) || strings.Contains(refused[0].Text, "swordfish") {
		t.Errorf("got %s, %v", refused[0].Text, err)
	}
	if n, err := a.store.Calls.CountRecords(t.Context(), journal.Query{}); err != nil || n != sessions*calls+1 {
		t.Errorf("the journal has %d records, %v", n, err)
	}
}
