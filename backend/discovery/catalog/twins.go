package catalog

import "github.com/agent-discover/agent-discover/backend/base/samename"

// Twins returns a tool and the tools of the same server whose names people may confuse with its name; see package samename.
// It returns nil if there are no others, which is true of nearly all tools.
func (s *Snapshot) Twins(server, tool string) []*Tool {
	s.pairing.Do(s.pair)
	if len(s.twins) == 0 {
		return nil
	}
	return s.twins[s.byKey[Key{server, tool}]]
}

func (s *Snapshot) pair() {
	s.twins = make(map[*Tool][]*Tool)
	for _, tools := range s.byServer {
		alike := make(map[string][]*Tool, len(tools))
		for _, t := range tools {
			form := samename.Fold(t.OwnName())
			alike[form] = append(alike[form], t)
		}
		for _, same := range alike {
			if len(same) == 1 {
				continue
			}
			for _, t := range same {
				s.twins[t] = same
			}
		}
	}
}

// Alike returns the tools of a server whose names people may confuse with name. The server need not have a tool of that name.
func (s *Snapshot) Alike(server, name string) (alike []*Tool) {
	form := samename.Fold(name)
	for _, t := range s.Of(server) {
		if samename.Fold(t.OwnName()) == form || samename.Fold(t.Name) == form {
			alike = append(alike, t)
		}
	}
	return alike
}
