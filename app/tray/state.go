package main

import (
	"encoding/json"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/words"
)

// phase is the state of the tray's connection to the hub.
type phase int

const (
	starting phase = iota // no hub is running yet
	connected
	restarting // the hub died; another one is about to start
	failing    // no hub can be started or reached; the tray keeps trying
	stopped    // the user has stopped the hub
	quitting
)

// state is everything that the menu depends on. It is a value: its slices are never changed in place.
type state struct {
	Phase   phase
	Problem string // in the phase failing: why no hub can be started or reached
	Paused  bool
	Calls   int // running calls
	Held    int // tools, prompts, resources and templates that wait for approval
	Servers []server
	// Questions are the unanswered questions of servers.
	Questions []question
	// Port is the port that the hub is to listen on and does not have; nil if that is not known.
	Port     *takenPort
	Checking bool   // a health check is running
	Note     string // result of the last command; "" for none
	AtLogin  bool
	Version  string
}

// takenPort is the part of the hub's report about its configured port that the menu uses. Summary is "" if the hub has the
// port.
type takenPort struct {
	Port    int    `json:"port"`
	Summary string `json:"summary"`
}

// lacksPort reports whether the hub does not listen on its configured port.
func (s state) lacksPort() bool { return s.Port != nil && s.Port.Summary != "" }

// server is the part of a server in the hub's messages that the menu uses.
type server struct {
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	Active   bool   `json:"active"`
	State    string `json:"state"`
	SignIn   string `json:"sign_in"`
	Running  bool   `json:"running"`
	Approved bool   `json:"approved"`
}

// question is a question of a server to the user.
type question struct {
	ID, Server string
	Approval   bool // the question asks to approve a call
}

// failed reports whether the server or most of its calls fail.
func (s server) failed() bool { return s.State == words.Failing || s.State == words.CallsFail }

// wantsSignIn reports whether the server needs a sign-in by a person.
func (s server) wantsSignIn() bool { return s.State == words.SignIn }

// updated returns the state after a message of the hub. Unknown types of messages change nothing.
func (s state) updated(message []byte) (state, error) {
	var m struct {
		Type    string     `json:"type"`
		Delta   bool       `json:"delta"`
		Names   []string   `json:"names"`
		Servers []server   `json:"servers"`
		Paused  bool       `json:"paused"`
		Calls   int        `json:"calls"`
		Held    int        `json:"waiting"`
		ID      string     `json:"id"`
		Server  string     `json:"serverName"`
		Mode    string     `json:"mode"`
		Port    *takenPort `json:"taken_port"`
	}
	if err := json.Unmarshal(message, &m); err != nil {
		return s, err
	}
	switch m.Type {
	case "hub":
		s.Paused, s.Calls, s.Held = m.Paused, max(m.Calls, 0), max(m.Held, 0)
	case "about": // made by follow
		if s.Port = m.Port; s.Port == nil {
			s.Port = &takenPort{}
		}
	case "elicitation_request":
		if !slices.ContainsFunc(s.Questions, func(q question) bool { return q.ID == m.ID }) {
			s.Questions = append(slices.Clone(s.Questions), question{m.ID, m.Server, m.Mode == "approval"})
		}
	case "elicitation_answered":
		s.Questions = slices.DeleteFunc(slices.Clone(s.Questions), func(q question) bool { return q.ID == m.ID })
	case "state":
		if m.Delta {
			s.Servers = merged(s.Servers, m.Servers, m.Names)
		} else {
			s.Servers = m.Servers
		}
	}
	return s, nil
}

// merged returns the servers with the given names. It takes each from changed, or from before if changed lacks it.
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

// disconnected returns the state without a connection to a hub: everything that a hub has reported is cleared.
func (s state) disconnected(p phase, problem string) state {
	s.Phase, s.Problem, s.Calls, s.Held, s.Servers, s.Questions, s.Port, s.Paused = p, problem, 0, 0, nil, nil, nil, false
	return s
}
