package eval

import (
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/reference"
)

// reached is the R@1 that the search by words alone has come to on each set. It
// may go up; slack is how far it may fall.
var reached = map[string]float64{
	"azure-mcp":       0.801,
	"metatool-single": 0.537,
	"toollinkos":      0.685,
	"agent-discover":  0.778,
	"catalog-dev":     0.545,
}

const slack = 0.01

func TestTheSearchIsNotWorseThanItWas(t *testing.T) {
	bench := reference.Path(t, "bench")
	for name, want := range reached {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(bench, name)
			set, err := Read(filepath.Join(folder, "tools.jsonl"), filepath.Join(folder, "queries.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			if set.Unknown+set.Repeated > 0 {
				t.Errorf("%d labels without a tool, %d ids twice", set.Unknown, set.Repeated)
			}
			if got := Measure(set.Queries, tried(t, set)).All.R1; got < want-slack {
				t.Errorf("R@1 is %.3f; it was %.3f", got, want)
			}
		})
	}
}
