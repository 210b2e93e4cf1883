package upstream

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Of the two sessions with a server that speaks both eras, one leads: its lists count as those of the server, and it
// announces their changes. The first session leads; the second one leads only while the first does not run, and then
// reads the lists that have changed meanwhile.

// beside returns the running session with the same server in the other era, or nil.
func (s *slot) beside() *session {
	t := s.target
	t.Second = !t.Second
	if other := s.manager.slots.of(t); other != nil {
		return other.running()
	}
	return nil
}

// leads reports whether the lists of the session count as those of the server.
func (r *lister) leads() bool { return !r.target.Second || r.at.beside() == nil }

// passLead makes the second session read the lists that have changed while the first one ran.
func (s *slot) passLead() {
	if s.target.Second {
		return
	}
	if other := s.beside(); other != nil {
		other.lists.ring()
	}
}

// ring makes follow look for outdated lists.
func (r *lister) ring() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// keepsList reports whether a list that the session has read is stored. All lists of the leading session are stored.
// The tools of the other session are stored only if a definition differs from that of the leading session, for example
// after an update of the server's package, so that the gate holds them for approval like changed ones.
func (r *lister) keepsList(which int, definitions []json.RawMessage) bool {
	if r.leads() {
		return true
	}
	first := r.at.beside()
	if which != toolsList || first == nil {
		return first == nil
	}
	known := byName(first.profile.tools())
	for name, tool := range byName(definitions) {
		if other, ok := known[name]; ok && !reflect.DeepEqual(tool, other) {
			return true
		}
	}
	return false
}

// byName returns definitions of tools by their names, without the members that only one era
// has or that may vary from one list to the next.
func byName(definitions []json.RawMessage) map[string]map[string]any {
	tools := make(map[string]map[string]any, len(definitions))
	for _, definition := range definitions {
		var tool map[string]any
		if json.Unmarshal(definition, &tool) != nil {
			continue
		}
		maps.DeleteFunc(tool, func(member string, _ any) bool {
			return slices.Contains([]string{"execution", "_meta"}, member)
		})
		tools[jsonrpc.GetString(definition, "name")] = tool
	}
	return tools
}

// spare reports whether another session with the server remains when the session of the slot ends.
func (s *slot) spare() bool {
	other := s.beside()
	return other != nil && !other.use.ending()
}
