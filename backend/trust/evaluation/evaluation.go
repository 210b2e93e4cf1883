// Package evaluation reads labelled cases of tools, judges them, and counts how many
// verdicts are right. It answers how well the scan finds poisoned tools and how
// often it warns of clean ones.
package evaluation

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/trust/scan"
)

// Case is a labelled case. Its label applies to Tools, which are tools of one server.
// The case also has the other tools of that server, and tools of other servers.
type Case struct {
	ID       string            `json:"id"`
	Server   string            `json:"server"`
	Tools    []json.RawMessage `json:"tools"`
	Siblings []json.RawMessage `json:"siblings"` // names or definitions of the server's other tools
	Peers    []Peer            `json:"peers"`
	Label    string            `json:"label"` // poisoned or clean; may be empty
	Kind     string            `json:"kind"`
}

// Peer is another server, with its tools.
type Peer struct {
	Server string            `json:"server"`
	Tools  []json.RawMessage `json:"tools"`
}

// longestLine limits a line of a file, in bytes.
const longestLine = 64 << 20

// Read calls do for each case of a JSON Lines file, and stops if do returns an error.
func Read(r io.Reader, do func(Case) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 1<<20), longestLine)
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var c Case
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return fault.Wrap(err, fault.Invalid, "read cases: line %d: expected an object with id and tools", n)
		}
		if err := do(c); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fault.Wrap(err, fault.Failed, "could not read the cases")
	}
	return nil
}

// Judged returns the server of a case with the tools to judge, and its peers. The
// siblings become a peer with the same name as the server. A tool of which the case has
// only the name gets a definition that contains nothing else.
func (c Case) Judged() (own scan.Server, peers []scan.Server) {
	own = scan.Server{Name: c.Server, Items: items(c.Tools)}
	if len(c.Siblings) > 0 {
		peers = append(peers, scan.Server{Name: c.Server, Items: items(c.Siblings)})
	}
	for i, p := range c.Peers {
		if p.Server == "" {
			p.Server = fmt.Sprintf("peer %d", i+1)
		}
		peers = append(peers, scan.Server{Name: p.Server, Items: items(p.Tools)})
	}
	return own, peers
}

// Scan judges the tools of a case.
func (c Case) Scan(o scan.Options) []scan.Result {
	own, peers := c.Judged()
	return scan.Scan(own, peers, o)
}

// Worst returns the highest verdict of some results.
func Worst(results []scan.Result) scan.Verdict {
	worst := scan.None
	for _, r := range results {
		worst = max(worst, r.Verdict)
	}
	return worst
}

func items(tools []json.RawMessage) []scan.Item {
	list := make([]scan.Item, 0, len(tools))
	for _, raw := range tools {
		var tool struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(raw, &tool) != nil {
			_ = json.Unmarshal(raw, &tool.Name) // raw is a name instead of a definition
			raw, _ = json.Marshal(map[string]string{"name": tool.Name})
		}
		list = append(list, scan.Item{Kind: scan.Tool, Name: tool.Name, JSON: raw})
	}
	return list
}
