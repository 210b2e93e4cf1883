package evaluation

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/trust/classifier"
	"github.com/agent-discover/agent-discover/backend/trust/scan"
)

// Count counts the verdicts on cases or tools. Found counts those that were blocked
// or warned about.
type Count struct{ All, Blocked, Found int }

// Add counts a verdict.
func (c *Count) Add(v scan.Verdict) {
	c.All++
	if v >= scan.Warn {
		c.Found++
	}
	if v == scan.Block {
		c.Blocked++
	}
}

// Shares returns Blocked and Found as shares of All, or 0 for both if All is 0.
func (c Count) Shares() (blocked, found float64) {
	if c.All == 0 {
		return 0, 0
	}
	return float64(c.Blocked) / float64(c.All), float64(c.Found) / float64(c.All)
}

// Judge judges everything that a server lists. peers are the other servers.
type Judge func(own scan.Server, peers []scan.Server) ([]scan.Result, error)

// Rules is the Judge that uses the rules alone.
func Rules(own scan.Server, peers []scan.Server) ([]scan.Result, error) {
	return scan.Scan(own, peers, scan.Options{}), nil
}

// Classifier returns the Judge that uses the rules and the trained classifier. It
// fails when ctx ends.
func Classifier(ctx context.Context, v *classifier.Vectors) Judge {
	return func(own scan.Server, peers []scan.Server) ([]scan.Result, error) {
		results := scan.Scan(own, peers, scan.Options{Sentences: true})
		return results, v.Raise(ctx, results)
	}
}

// Labels judges the cases in a file. It counts the worst verdict on each case,
// separately for poisoned cases and for all others.
func Labels(file string, judge Judge) (poisoned, clean Count, err error) {
	f, err := os.Open(file)
	if err != nil {
		return poisoned, clean, fault.Wrap(err, fault.NotFound, "could not read the cases")
	}
	defer func() { _ = f.Close() }()
	err = Read(f, func(c Case) error {
		results, err := judge(c.Judged())
		if c.Label == "poisoned" {
			poisoned.Add(Worst(results))
		} else {
			clean.Add(Worst(results))
		}
		return err
	})
	return poisoned, clean, err
}

// Listing has the definitions that one real server lists, as recorded in a file.
type Listing struct {
	Tools        []json.RawMessage `json:"tools"`
	Prompts      []json.RawMessage `json:"prompts"`
	Resources    []json.RawMessage `json:"resources"`
	Templates    []json.RawMessage `json:"resourceTemplates"`
	Instructions json.RawMessage   `json:"instructions"`
}

// readListing reads a Listing from a JSON file and returns it as a server with the name
// of the file.
func readListing(file string) (scan.Server, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return scan.Server{}, fault.Wrap(err, fault.NotFound, "could not read the tools of a server")
	}
	var l Listing
	if err := json.Unmarshal(data, &l); err != nil {
		return scan.Server{}, fault.Wrap(err, fault.Invalid, "%s: expected an object with tools", filepath.Base(file))
	}
	s := scan.Server{Name: strings.TrimSuffix(filepath.Base(file), ".json"), Items: items(l.Tools)}
	for _, part := range []struct {
		kind scan.Kind
		list []json.RawMessage
	}{{scan.Prompt, l.Prompts}, {scan.Resource, l.Resources}, {scan.Template, l.Templates}} {
		for _, item := range items(part.list) {
			item.Kind = part.kind
			s.Items = append(s.Items, item)
		}
	}
	if len(l.Instructions) > 0 {
		s.Items = append(s.Items, scan.Item{Kind: scan.Instructions, JSON: l.Instructions})
	}
	return s, nil
}

// Listings reads the listings of servers from files in folder. names is the path of a
// file that contains the names of those files.
func Listings(names, folder string) ([]scan.Server, error) {
	list, err := os.ReadFile(names)
	if err != nil {
		return nil, fault.Wrap(err, fault.NotFound, "could not read the names of servers")
	}
	var servers []scan.Server
	for name := range strings.FieldsSeq(string(list)) {
		s, err := readListing(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		servers = append(servers, s)
	}
	return servers, nil
}

// Alarms judges servers that are known to be clean, each without peers, and counts the
// verdicts on their tools.
func Alarms(servers []scan.Server, judge Judge) (count Count, err error) {
	for _, s := range servers {
		results, err := judge(s, nil)
		if err != nil {
			return count, err
		}
		for _, r := range results {
			if r.Kind == scan.Tool {
				count.Add(r.Verdict)
			}
		}
	}
	return count, nil
}
