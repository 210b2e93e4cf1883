//go:build guard && linux

package guard

import (
	"net/http"
	"slices"
	"strings"
)

// grants are the files and folders that a server may use.
type grants struct {
	Read    []string `json:"read"`
	Write   []string `json:"write"`
	Network []string `json:"network"`
}

// confine sets the level guard.
func (h *home) confine() {
	h.T.Helper()
	if err := h.do(http.MethodPut, "/sandbox", map[string]any{"level": "guard"}, nil); err != nil {
		h.T.Fatalf("confine: %v", err)
	}
	if s := h.state(); s.Sandbox.Enforced != "enforced" {
		h.T.Fatalf("guard is not enforced here: %s", s.Sandbox.Enforced)
	}
}

// wanted returns the grants that the hub offers to a person, because the server wants files that it does not get.
func (h *home) wanted() grants {
	h.T.Helper()
	g := grants{Read: []string{}, Write: []string{}, Network: []string{}}
	lists := map[string]*[]string{"read": &g.Read, "write": &g.Write, "network": &g.Network}
	for _, d := range h.state().Sandbox.Denied {
		if list := lists[d.Access]; d.Grant != "" && !slices.Contains(*list, d.Grant) {
			*list = append(*list, d.Grant)
		}
	}
	return g
}

// grant allows the server to use files, as a person does.
func (h *home) grant(g grants) {
	h.T.Helper()
	if err := h.do(http.MethodPut, "/sandbox", map[string]any{"grants": g}, nil); err != nil {
		h.T.Fatalf("grant %v: %v", g, err)
	}
}

// words lists the grants as in "write ~/files".
func (g grants) words(home string) (all []string) {
	for _, kind := range []struct {
		access string
		list   []string
	}{{"read", g.Read}, {"write", g.Write}, {"network", g.Network}} {
		for _, one := range kind.list {
			all = append(all, kind.access+" "+strings.Replace(one, home, "~", 1))
		}
	}
	return all
}
