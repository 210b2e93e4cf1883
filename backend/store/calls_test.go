package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/agent-discover/agent-discover/backend/calls/journal"
)

var began = time.UnixMilli(1790000000000)

// keepCalls stores records. A record without an id gets the next free one.
func keepCalls(t *testing.T, s *Store, records ...journal.Record) {
	t.Helper()
	last, err := s.Calls.LastRecord(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range records {
		if records[i].ID == 0 {
			last++
			records[i].ID = last
		}
	}
	if err := s.Calls.AppendRecords(t.Context(), records, nil, nil); err != nil {
		t.Fatal(err)
	}
}

// ids returns the ids of the records that a query selects, separated by spaces.
func ids(t *testing.T, s *Store, q journal.Query) string {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 100
	}
	records, err := s.Calls.Records(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, r := range records {
		list = append(list, fmt.Sprint(r.ID))
	}
	return strings.Join(list, " ")
}

func TestRecordsAreReadAsStored(t *testing.T) {
	s, _ := openStore(t)
	want := journal.Record{
		ID: 17, At: began, Kind: journal.Progress, Client: "c", Session: "s", Server: "srv", Tool: "t",
		Args: `{"a":1}`, Response: "r", Outcome: journal.Failed, Latency: 1500 * time.Microsecond,
	}
	keepCalls(t, s, want)
	got, err := s.Calls.Records(t.Context(), journal.Query{Limit: 1})
	if err != nil || len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestFiltersSelectRecords(t *testing.T) {
	s, _ := openStore(t)
	at := func(seconds int) time.Time { return began.Add(time.Duration(seconds) * time.Second) }
	keepCalls(
		t, s,
		journal.Record{
			At: at(1), Kind: journal.Call, Server: "a", Tool: "echo", Args: `{"x":"100%"}`, Response: "Grüße aus Köln", Outcome: journal.OK,
		},
		journal.Record{
			At: at(2), Kind: journal.Call, Server: "a", Tool: "read", Args: `{"x":"100"}`, Response: "ÖL_1", Outcome: journal.Failed,
		},
		journal.Record{
			At: at(3), Kind: journal.Call, Server: "b", Tool: "echo", Args: `{"path":"C:\\x"}`, Response: "ol 1 [*?]ä",
			Outcome: journal.Refused,
		},
		journal.Record{At: at(4), Kind: journal.Notification, Server: "b", Tool: "notifications/Message", Outcome: journal.OK},
		journal.Record{At: at(5), Kind: journal.Progress, Server: "a", Tool: "progress", Outcome: journal.OK},
	)
	yes, no := true, false
	for name, c := range map[string]struct {
		q     journal.Query
		want  string
		total int
	}{
		"all":              {journal.Query{}, "5 4 3 2 1", 5},
		"a page":           {journal.Query{Limit: 2, Offset: 1}, "4 3", 5},
		"before an id":     {journal.Query{Before: 3}, "2 1", 5},
		"server":           {journal.Query{Server: "a"}, "5 2 1", 3},
		"server and tool":  {journal.Query{Server: "a", Tool: "echo"}, "1", 1},
		"tool":             {journal.Query{Tool: "echo"}, "3 1", 2},
		"kind":             {journal.Query{Kinds: []journal.Kind{journal.Progress}}, "5", 1},
		"kinds":            {journal.Query{Kinds: []journal.Kind{journal.Progress, journal.Notification}}, "5 4", 2},
		"success":          {journal.Query{Success: &yes}, "5 4 1", 3},
		"failures":         {journal.Query{Success: &no}, "3 2", 2},
		"outcome":          {journal.Query{Outcome: journal.Refused}, "3", 1},
		"outcome ok":       {journal.Query{Outcome: journal.OK}, "5 4 1", 3},
		"a contradiction":  {journal.Query{Outcome: journal.Refused, Success: &yes}, "", 0},
		"since":            {journal.Query{Since: at(3)}, "5 4 3", 3},
		"until":            {journal.Query{Until: at(3)}, "2 1", 2},
		"between":          {journal.Query{Since: at(2), Until: at(3)}, "2", 1},
		"text in tool":     {journal.Query{Text: "NOTIFICATIONS/m"}, "4", 1},
		"text in args":     {journal.Query{Text: "PATH"}, "3", 1},
		"no wildcard %":    {journal.Query{Text: "0%"}, "1", 1},
		"no wildcard _":    {journal.Query{Text: "L_1"}, "2", 1},
		"a backslash":      {journal.Query{Text: `c:\\x`}, "3", 1},
		"other letters":    {journal.Query{Text: "öl"}, "2 1", 2},
		"in another case":  {journal.Query{Text: "GRÜSSE"}, "", 0},
		"in any case":      {journal.Query{Text: "KÖLN"}, "1", 1},
		"no glob":          {journal.Query{Text: "[*?]Ä"}, "3", 1},
		"and not anything": {journal.Query{Text: "*ä"}, "", 0},
		"everything": {
			journal.Query{
				Server: "a", Kinds: []journal.Kind{journal.Call}, Success: &no, Since: at(1), Until: at(9), Text: "100", Before: 5,
			}, "2", 1,
		},
	} {
		total, err := s.Calls.CountRecords(t.Context(), c.q)
		if got := ids(t, s, c.q); got != c.want || total != c.total || err != nil {
			t.Errorf("%s: got records %q of %d, %v, want %q of %d", name, got, total, err, c.want, c.total)
		}
	}
}

func TestTheFileGetsSmallerOnceMostOfItIsDeleted(t *testing.T) {
	s, file := openStore(t)
	size := func() int64 {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	text := strings.Repeat("an argument ", 1<<10)
	var records []journal.Record
	for range 2 * minFree / len(text) {
		records = append(records, journal.Record{Args: text})
	}
	keepCalls(t, s, records...)
	if err := s.db.scrub(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		left    int
		shrinks bool
	}{{len(records) * 3 / 4, false}, {len(records) / 4, true}, {0, false}} { // at last, less than minFree is unused
		before := size()
		if _, err := s.Calls.DeleteRecords(t.Context(), journal.Query{Before: int64(len(records) - c.left + 1)}); err != nil {
			t.Fatal(err)
		}
		if err := s.Calls.Shrink(t.Context()); err != nil {
			t.Fatal(err)
		}
		if now := size(); (now < before/2) != c.shrinks {
			t.Errorf("with %d records left, the file has %d bytes instead of %d", c.left, now, before)
		}
	}
	if n, err := s.Calls.LastRecord(t.Context()); err != nil || n != int64(len(records)) {
		t.Errorf("after the rewrite, the last id is %d, %v", n, err)
	}
}

func TestIDsAreNotReused(t *testing.T) {
	s, file := openStore(t)
	if last, err := s.Calls.LastRecord(t.Context()); err != nil || last != 0 {
		t.Errorf("last id of an empty database: %d, %v", last, err)
	}
	keepCalls(t, s, journal.Record{}, journal.Record{}, journal.Record{})
	if n, err := s.Calls.DeleteRecords(t.Context(), journal.Query{}); err != nil || n != 3 {
		t.Errorf("deleted %d records, %v", n, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	if last, err := again.Calls.LastRecord(t.Context()); err != nil || last != 3 {
		t.Errorf("the last id is %d, %v", last, err)
	}
}

func TestRecordsAreDeletedInSteps(t *testing.T) {
	s, _ := openStore(t)
	for i := range 6 {
		kind := journal.Call
		if i%2 == 1 {
			kind = journal.Progress
		}
		keepCalls(t, s, journal.Record{At: began.Add(time.Duration(i) * time.Hour), Kind: kind})
	}
	old := journal.Query{Until: began.Add(3 * time.Hour), Limit: 2}
	for _, want := range []int{2, 1, 0} {
		if n, err := s.Calls.DeleteRecords(t.Context(), old); err != nil || n != want {
			t.Errorf("deleted %d records, %v, want %d", n, err, want)
		}
	}
	if n, err := s.Calls.DeleteRecords(t.Context(), journal.Query{Kinds: []journal.Kind{journal.Progress}, Before: 5}); err != nil ||
		n != 1 {
		t.Errorf("deleted %d records, %v", n, err)
	}
	if got := ids(t, s, journal.Query{}); got != "6 5" {
		t.Errorf("the records left are %s", got)
	}
}

func TestTalliesAreReadAsStored(t *testing.T) {
	s, _ := openStore(t)
	tally := func(server, tool string, calls int64) journal.Tally {
		return journal.Tally{
			Server: server, Tool: tool, Calls: calls, Errors: 1, Latency: time.Second, Slowest: time.Millisecond,
			Last: began, Histogram: journal.Histogram{-3: 1, 57: calls},
		}
	}
	want := []journal.Tally{tally("a", "x", 3), tally("a", "y", 1), tally("b", "x", 1)}
	for _, step := range [][]journal.Tally{{tally("a", "x", 1), want[1]}, {want[0], want[2]}} {
		if err := s.Calls.AppendRecords(t.Context(), nil, step, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Calls.Tallies(t.Context()); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := s.Calls.DeleteTallies(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Calls.Tallies(t.Context()); err != nil || !reflect.DeepEqual(got, want[2:]) {
		t.Errorf("after the tallies of a were deleted: %+v, %v", got, err)
	}
}

func TestRecordsAndTalliesAreStoredInOneTransaction(t *testing.T) {
	s, _ := openStore(t)
	keepCalls(t, s, journal.Record{ID: 5})
	err := s.Calls.AppendRecords(t.Context(), []journal.Record{{ID: 6}, {ID: 5}}, []journal.Tally{{Server: "a"}}, nil)
	if err == nil {
		t.Fatal("a record with an existing id was stored")
	}
	tallies, _ := s.Calls.Tallies(t.Context())
	if got := ids(t, s, journal.Query{}); got != "5" || len(tallies) != 0 {
		t.Errorf("the failed transaction left the records %s and %d tallies", got, len(tallies))
	}
}

// The time for reading the newest page must not depend on the size of the
// journal. So SQLite must neither sort records nor scan all of them if few
// match.
func TestTheNewestPageIsReadFromAnIndex(t *testing.T) {
	s, _ := openStore(t)
	no := false
	for name, c := range map[string]struct {
		q    journal.Query
		want string
	}{
		"all":      {journal.Query{}, "SCAN calls"}, // in the order of ids, until the page is full
		"server":   {journal.Query{Server: "a"}, "USING COVERING INDEX calls_by_server"},
		"tool":     {journal.Query{Tool: "a"}, "USING COVERING INDEX calls_by_tool"},
		"kind":     {journal.Query{Kinds: []journal.Kind{journal.Progress}}, "USING COVERING INDEX calls_by_kind"},
		"failures": {journal.Query{Success: &no}, "calls_failed"},
		"outcome":  {journal.Query{Outcome: journal.Refused}, "USING COVERING INDEX calls_failed"},
	} {
		f := conditions(c.q)
		rows, err := s.db.read.QueryContext(t.Context(), "EXPLAIN QUERY PLAN SELECT id FROM calls"+f.where()+" ORDER BY id DESC LIMIT 50",
			f.args...)
		if err != nil {
			t.Fatal(err)
		}
		var plan []string
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			plan = append(plan, detail)
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(plan, "; "); !strings.Contains(all, c.want) || strings.Contains(all, "SORT") ||
			strings.Contains(all, "TEMP B-TREE") {
			t.Errorf("%s: %s", name, all)
		}
	}
}

func TestTheMigrationToMetricsCountsExistingCalls(t *testing.T) {
	file := filepath.Join(t.TempDir(), "old.db")
	db, err := open(file, "rwc", 1)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := fs.Sub(migrations, "migrations")
	if err != nil {
		t.Fatal(err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(),
		`INSERT INTO servers SELECT 1, 'a', '', '', '', '', '', '', '', '', '', '', '', '', 1, 1, 0, 1, '', 0, 0, '', 0, 0;
		INSERT INTO calls (at, kind, client, session, server, tool, args, response, outcome, latency) VALUES
		(1790000000000, 'call', '', '', 'a', 't', '', '', 'ok', 1000), (1790000001000, 'call', '', '', 'a', 't', '', '', 'failed', 3000),
		(1790000002000, 'call', '', '', 'a', 't', '', '', 'refused', 9000), (1790000000000, 'call', '', '', 'gone', 't', '', '', 'ok', 1000)`)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	want := []journal.Tally{{
		Server: "a", Tool: "t", Calls: 2, Errors: 1, Latency: 4 * time.Millisecond, Slowest: 3 * time.Millisecond,
		Last: began.Add(time.Second), Histogram: journal.Histogram{},
	}}
	got, err := s.Calls.Tallies(t.Context())
	if last, _ := s.Calls.LastRecord(t.Context()); err != nil || last != 4 || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, and the last id %d", got, err, last)
	}
}
