package market

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// small is a registry in memory that answers as the official one does.
type small struct {
	*httptest.Server
	mu      sync.Mutex
	entries []*version
}

// version is an entry of the registry.
type version struct {
	name, number string
	server       map[string]any
	status       string
	message      string
	latest       bool
	published    time.Time
	updated      time.Time
}

func newSmall(t *testing.T) *small {
	s := &small{}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /v0.1/servers", s.list)
	routes.HandleFunc("GET /v0.1/servers/{name}/versions", s.versions)
	routes.HandleFunc("GET /v0.1/servers/{name}/versions/{version}", s.version)
	s.Server = httptest.NewServer(routes)
	t.Cleanup(s.Close)
	for _, server := range servers() {
		s.publish(t, server)
	}
	return s
}

func (s *small) URL() string { return s.Server.URL }

func (s *small) stop() { s.Close() }

func (s *small) publish(_ *testing.T, server map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	v := &version{
		name: server["name"].(string), number: server["version"].(string), server: server, status: "active", published: now, updated: now,
	}
	s.entries = append(s.entries, v)
	slices.SortFunc(s.entries, compareVersions)
	s.findLatest(v.name)
}

func compareVersions(a, b *version) int {
	return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.number, b.number))
}

// findLatest marks the highest version that is not deleted as the latest one, or the highest of all if all are
// deleted. It does not change the time of the last update. The versions in the test have the same order as
// texts and as numbers.
func (s *small) findLatest(name string) {
	var best *version
	for _, v := range s.entries {
		if v.name != name {
			continue
		}
		v.latest = false
		if best == nil || v.status != "deleted" || best.status == "deleted" {
			best = v
		}
	}
	if best != nil {
		best.latest = true
	}
}

func (s *small) mark(_ *testing.T, name, number, status, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.entries {
		if v.name == name && (number == "" || v.number == number) {
			v.status, v.message, v.updated = status, message, time.Now()
		}
	}
	s.findLatest(name)
}

func (s *small) age(*testing.T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.entries {
		v.updated = v.updated.Add(-48 * time.Hour)
	}
}

func (v *version) response() map[string]any {
	meta := map[string]any{
		"status": v.status, "statusChangedAt": v.updated, "publishedAt": v.published, "updatedAt": v.updated, "isLatest": v.latest,
	}
	if v.message != "" {
		meta["statusMessage"] = v.message
	}
	return map[string]any{"server": v.server, "_meta": map[string]any{"io.modelcontextprotocol.registry/official": meta}}
}

func (s *small) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	limit, _ := strconv.Atoi(q.Get("limit"))
	search := q.Get("search")
	if limit < 1 || limit > 100 || search != "" && len(strings.TrimSpace(search)) < 3 {
		refuse(w, http.StatusUnprocessableEntity, "search must contain at least 3 characters")
		return
	}
	since, err := time.Parse(time.RFC3339, cmp.Or(q.Get("updated_since"), "0001-01-01T00:00:00Z"))
	if err != nil {
		refuse(w, http.StatusBadRequest, "Invalid updated_since format")
		return
	}
	deleted := q.Get("updated_since") != "" || q.Get("include_deleted") == "true"
	name, number, _ := strings.Cut(q.Get("cursor"), ":")
	after := &version{name: name, number: number}
	s.mu.Lock()
	defer s.mu.Unlock()
	page, next := []any{}, ""
	for _, v := range s.entries {
		if compareVersions(v, after) <= 0 || !v.updated.After(since) || v.status == "deleted" && !deleted ||
			q.Get("version") == "latest" && !v.latest || !strings.Contains(strings.ToLower(v.name), strings.ToLower(search)) {
			continue
		}
		if page = append(page, v.response()); len(page) == limit {
			next = v.name + ":" + v.number
			break
		}
	}
	metadata := map[string]any{"count": len(page)}
	if next != "" {
		metadata["nextCursor"] = next
	}
	answer(w, http.StatusOK, map[string]any{"servers": page, "metadata": metadata})
}

func (s *small) versions(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := []any{}
	for _, v := range s.entries {
		if v.name == r.PathValue("name") && v.status != "deleted" {
			found = append(found, v.response())
		}
	}
	if len(found) == 0 {
		refuse(w, http.StatusNotFound, "Server not found")
		return
	}
	answer(w, http.StatusOK, map[string]any{"servers": found, "metadata": map[string]any{"count": len(found)}})
}

func (s *small) version(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	number := r.PathValue("version")
	for _, v := range s.entries {
		if v.name == r.PathValue("name") && (number == v.number || number == "latest" && v.latest) &&
			(v.status != "deleted" || r.URL.Query().Get("include_deleted") == "true") {
			answer(w, http.StatusOK, v.response())
			return
		}
	}
	refuse(w, http.StatusNotFound, "Server not found")
}

func refuse(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	answer(w, status, map[string]any{"title": http.StatusText(status), "status": status, "detail": detail})
}

func answer(w http.ResponseWriter, status int, body any) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // an error means that the client has left
}
