//go:build linux

package programtest

import (
	"fmt"
	"net/http"

	"github.com/agent-discover/agent-discover/backend/base/instance"
)

// AsPerson makes a REST request as a person does in the dashboard. body and answer may be nil.
func (h *Home) AsPerson(method, path string, body, answer any) {
	h.T.Helper()
	person, end, err := instance.NewClient(h.RunningHub()).Person(h.T.Context())
	if err != nil {
		h.T.Fatal(err)
	}
	defer end()
	if err := person.Do(h.T.Context(), method, path, body, answer); err != nil {
		h.T.Fatal(err)
	}
}

// Approve approves a proposed server and those of its tools in which the scan finds nothing, as a person does in
// the dashboard. Then it lists the tools.
func (h *Home) Approve(name string) {
	h.T.Helper()
	person, end, err := instance.NewClient(h.RunningHub()).Person(h.T.Context())
	if err != nil {
		h.T.Fatal(err)
	}
	defer end()
	var servers []struct {
		ID         int64
		Name       string
		LaunchHash string `json:"launch_hash"`
	}
	if err := person.Do(h.T.Context(), http.MethodGet, "/api/servers", nil, &servers); err != nil {
		h.T.Fatal(err)
	}
	for _, s := range servers {
		if s.Name != name {
			continue
		}
		path := fmt.Sprintf("/api/servers/%d/", s.ID)
		if err := person.Do(h.T.Context(), http.MethodPost, path+"approve",
			map[string]string{"launch_hash": s.LaunchHash, "tools": "clean"}, nil); err != nil {
			h.T.Fatal(err)
		}
		if err := person.Do(h.T.Context(), http.MethodPost, path+"refresh", nil, nil); err != nil {
			h.T.Fatal(err)
		}
		return
	}
	h.T.Fatalf("there is no server %q", name)
}
