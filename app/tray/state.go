package main

import (
	"encoding/json"
	"slices"
)

// phase is how far the tray has come with the hub.
type phase int

const (
	starting phase = iota // no hub yet
	connected
	restarting // the hub died, the next is on its way
	failing    // none can be started or reached; it goes on trying
	stopped    // by the user
	quitting
)

// state is all that the menu shows. It is a value: whoever has one may keep it.
type state struct {
	Phase    phase
	Problem  string // why it is failing
	Paused   bool
	Calls    int // in flight
	Servers  []server
	Checking bool   // a health check is under way
	Note     string // what came of the last click; "" for nothing
	AtLogin  bool
	Version  string
}

// server is what the hub says of one.
type server struct {
	ID        int64  `json:"id"`
	Name      string `json:"name"`
	Active    bool   `json:"active"`
	Running   bool   `json:"running"`
	Approved  bool   `json:"approved"`
	Health    string `json:"health_status"`
	LastError string `json:"last_error"`
}

// failed reports whether a person should look at the server.
func (s server) failed() bool { return s.Approved && (s.Health == "unhealthy" || s.LastError != "") }

// after returns the state after a message from the hub. What it does not know it
// passes over.
func (s state) after(message []byte) (state, error) {
	var m struct {
		Type    string   `json:"type"`
		Delta   bool     `json:"delta"`
		Names   []string `json:"names"`
		Servers []server `json:"servers"`
		Paused  bool     `json:"paused"`
		Calls   int      `json:"calls"`
	}
	if err := json.Unmarshal(message, &m); err != nil {
		return s, err
	}
	switch m.Type {
	case "hub":
		s.Paused, s.Calls = m.Paused, max(m.Calls, 0)
	case "state":
		if m.Delta {
			s.Servers = merged(s.Servers, m.Servers, m.Names)
		} else {
			s.Servers = m.Servers
		}
	}
	return s, nil
}

// merged returns the named servers, each as it was last told.
func merged(before, changed []server, names []string) []server {
	known := make(map[string]server, len(before))
	for _, v := range slices.Concat(before, changed) {
		known[v.Name] = v
	}
	var out []server
	for _, name := range names {
		if v, ok := known[name]; ok {
			out = append(out, v)
		}
	}
	return out
}

// lost returns the state when the hub is gone: of what it said nothing holds.
func (s state) lost(to phase, problem string) state {
	s.Phase, s.Problem, s.Calls, s.Servers, s.Paused = to, problem, 0, nil, false
	return s
}
