package eval

import (
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/testing/reference"
)

// reached is the best R@1 of the search by words alone on each set. Raise it
// when the search improves.
var reached = map[string]float64{
	"azure-mcp":       0.801,
	"metatool-single": 0.537,
	"toollinkos":      0.685,
	"agent-discover":  0.778,
	"catalog-dev":     0.568,
}

// slack is the accepted loss of R@1.
const slack = 0.01

func TestTheSearchHasNotBecomeWorse(t *testing.T) {
	bench := reference.Path(t, "bench")
	for name, want := range reached {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(bench, name)
			set, err := Read(filepath.Join(folder, "tools.jsonl"), filepath.Join(folder, "queries.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			if set.Unknown+set.Repeated > 0 {
				t.Errorf("the set has %d labels without a tool and %d repeated IDs", set.Unknown, set.Repeated)
			}
			if got := Measure(set.Queries, tried(t, set)).All.R1; got < want-slack {
				t.Errorf("R@1 is %.3f, want at least %.3f", got, want-slack)
			}
		})
	}
}

func TestTheSearchByMeaningHasNotBecomeWorse(t *testing.T) {
	root, ok := reference.Repository()
	if !ok {
		t.Fatal("found no wails.json above the working directory")
	}
	for name, c := range map[string]struct {
		folder string
		want   float64 // the best R@1
	}{
		"everyday":  {filepath.Join(root, "build", "eval", "everyday"), 0.541},
		"azure-mcp": {"", 0.928}, // the smallest of the large sets
	} {
		t.Run(name, func(t *testing.T) {
			folder := c.folder
			if folder == "" {
				folder = reference.Path(t, "bench", name)
			}
			set, err := Read(filepath.Join(folder, "tools.jsonl"), filepath.Join(folder, "queries.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			if set.Unknown+set.Repeated > 0 {
				t.Errorf("the set has %d labels without a tool and %d repeated IDs", set.Unknown, set.Repeated)
			}
			engine, err := Open(t.Context(), set.Tools, settings.Default().Search, nil)
			if err != nil {
				t.Fatal(err)
			}
			answers, err := Run(t.Context(), engine, set.Queries, Depth, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := Measure(set.Queries, answers).All.R1; got < c.want-slack {
				t.Errorf("R@1 is %.3f, want at least %.3f", got, c.want-slack)
			}
		})
	}
}
