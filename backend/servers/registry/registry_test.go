package registry

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// memory is a Store in memory. If fail is set, its methods return this error.
type memory struct {
	rows map[int64]Server
	fail error
}

func (m *memory) Servers(context.Context) ([]Server, error) {
	var out []Server
	for _, s := range m.rows {
		out = append(out, s)
	}
	return out, m.fail
}

func (m *memory) InsertServer(_ context.Context, s Server) (int64, error) {
	if m.fail != nil {
		return 0, m.fail
	}
	s.ID = int64(len(m.rows) + 1)
	m.rows[s.ID] = s
	return s.ID, nil
}

func (m *memory) UpdateServer(_ context.Context, s Server) error {
	if m.fail == nil {
		m.rows[s.ID] = s
	}
	return m.fail
}

func (m *memory) DeleteServer(_ context.Context, id int64) error {
	if m.fail == nil {
		delete(m.rows, id)
	}
	return m.fail
}

func (m *memory) Scrub(context.Context) error { return nil }

func (m *memory) Compact(context.Context) error { return nil }

func (m *memory) MatchServers(context.Context, string) ([]int64, error) {
	return []int64{2, 99, 1}, m.fail
}

func open(t *testing.T) (*Registry, *memory, <-chan Changed) {
	t.Helper()
	m, bus := &memory{rows: make(map[int64]Server)}, &events.Bus{}
	changes, stop := events.Subscribe[Changed](bus, 16)
	t.Cleanup(stop)
	r, err := Open(t.Context(), m, bus)
	if err != nil {
		t.Fatal(err)
	}
	return r, m, changes
}

func add(t *testing.T, r *Registry, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := r.Add(t.Context(), Server{Name: name, Args: []string{"a"}, Env: map[string]string{"K": "v"}}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNamesAreChecked(t *testing.T) {
	r, _, _ := open(t)
	for name, want := range map[string]string{
		"": "Name is required", "bad name": `Invalid name "bad name"`, "a__b": `cannot contain "__"`, "ä": "Invalid name",
		"mcp": "reserved", "a_": "cannot end", "-rf": "must not begin with a dash", ".": "must not begin with a dash or consist of dots",
		"..": "consist of dots", "...": "consist of dots", strings.Repeat("x", 65): "longer than 64",
	} {
		_, err := r.Add(t.Context(), Server{Name: name})
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("%q: got %v", name, err)
		}
	}
	add(t, r, "ok-1_.")
	if _, err := r.Add(t.Context(), Server{Name: "ok-1_."}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("adding a server under a taken name: %v", err)
	}
}

func TestServersAreSortedByName(t *testing.T) {
	r, _, changes := open(t)
	add(t, r, "b", "c", "a")
	list := r.List()
	if list[0].Name != "a" || list[2].Name != "c" || list[0].Transport != "stdio" || list[0].Health.Status != "unknown" {
		t.Errorf("got %+v", list)
	}
	if len(changes) != 3 {
		t.Errorf("got %d events, want 3", len(changes))
	}
}

func TestReturnedListsAreNotChangedLater(t *testing.T) {
	r, _, _ := open(t)
	args, env := []string{"a"}, map[string]string{"K": "v"}
	if _, err := r.Add(t.Context(), Server{Name: "a", Args: args, Env: env}); err != nil {
		t.Fatal(err)
	}
	args[0], env["K"] = "changed", "changed" // Add has copied both
	before := r.List()
	args = []string{"b"}
	_, err := r.Update(t.Context(), "a", func(s *Server) {
		s.Env["K"] = "w"
		s.Args = args
	})
	if err != nil {
		t.Fatal(err)
	}
	args[0] = "changed" // Update has copied the callback's slice, too
	if s, _ := r.Get("a"); s.Args[0] != "b" || s.Env["K"] != "w" {
		t.Errorf("after the update: %+v", s)
	}
	add(t, r, "b", "0")
	if err := r.Remove(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if len(before) != 1 || before[0].Name != "a" || before[0].Args[0] != "a" || before[0].Env["K"] != "v" {
		t.Errorf("a list that was read before the changes is now %+v", before)
	}
	list := r.List()
	_ = append(list, Server{Name: "appended"})
	add(t, r, "c")
	if got := r.List(); len(got) != 3 || got[2].Name != "c" || len(list) != 2 {
		t.Errorf("after a caller appended to a list: %+v", got)
	}
}

func TestUpdateKeepsNameAndID(t *testing.T) {
	r, _, changes := open(t)
	add(t, r, "a")
	<-changes
	before, _ := r.Get("a")
	now, err := r.Update(t.Context(), "a", func(s *Server) { s.ID, s.Name, s.Command = 77, "z", "node" })
	if err != nil || now.ID != before.ID || now.Name != "a" || now.Command != "node" {
		t.Errorf("got %+v, %v", now, err)
	}
	if change := <-changes; change.Name != "a" || change.Removed {
		t.Errorf("event %+v", change)
	}
	if _, err := r.Update(t.Context(), "none", func(*Server) {}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("got %v", err)
	}
}

func TestChangesThatAreNotStoredStayInvisible(t *testing.T) {
	r, m, changes := open(t)
	add(t, r, "a")
	<-changes
	m.fail = errors.New("disk full")
	if _, err := r.Add(t.Context(), Server{Name: "b"}); err == nil {
		t.Error("Add returned no error although the store failed")
	}
	if _, err := r.Update(t.Context(), "a", func(s *Server) { s.Command = "x" }); err == nil {
		t.Error("Update returned no error although the store failed")
	}
	if err := r.Remove(t.Context(), "a"); err == nil {
		t.Error("Remove returned no error although the store failed")
	}
	if s, err := r.Get("a"); err != nil || s.Command != "" || len(r.List()) != 1 || len(changes) != 0 {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestSearchResultsAreInTheOrderOfTheStore(t *testing.T) {
	r, _, _ := open(t)
	add(t, r, "a", "b")
	got, err := r.Search(t.Context(), "x")
	if err != nil || len(got) != 2 || got[0].Name != "b" {
		t.Errorf("got %v, %v", got, err)
	}
	if got, _ = r.Search(t.Context(), " "); len(got) != 2 || got[0].Name != "a" {
		t.Errorf("search without a query: %v", got)
	}
	if err := r.Remove(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ByID(1); fault.KindOf(err) != fault.NotFound {
		t.Errorf("got %v", err)
	}
}
