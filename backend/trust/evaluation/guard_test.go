package evaluation

import (
	"testing"

	"github.com/agent-discover/agent-discover/backend/discovery/minilm"
	"github.com/agent-discover/agent-discover/backend/testing/reference"
	"github.com/agent-discover/agent-discover/backend/trust/classifier"
)

// reached has, for each set, the shares of poisoned cases that the rules block, and
// that they block or warn about. Raise the shares when the rules improve.
var reached = map[string]struct{ blocked, found float64 }{
	"cisco":       {.93, .93},
	"mcpproxy":    {.70, .90},
	"mcpsecbench": {.50, 1},
	"fabric":      {.66, 1},
	"safemcp":     {.80, 1},
	"own":         {.56, .90},
}

func TestPoisonedToolsAreFound(t *testing.T) {
	folder := reference.Path(t, "trust")
	for set, want := range reached {
		t.Run(set, func(t *testing.T) {
			poisoned, clean, err := Labels(folder+"/"+set+".jsonl", Rules)
			if err != nil {
				t.Fatal(err)
			}
			if blocked, found := poisoned.Shares(); blocked < want.blocked || found < want.found {
				t.Errorf("%.3f of %d poisoned cases are blocked and %.3f found; want at least %.3f and %.3f",
					blocked, poisoned.All, found, want.blocked, want.found)
			}
			if blocked, found := clean.Shares(); blocked > .02 || found > .10 {
				t.Errorf("%.3f of %d clean cases are blocked and %.3f warned about; want at most .02 and .10", blocked, clean.All, found)
			}
		})
	}
}

func TestRealToolsAreLeftAlone(t *testing.T) {
	servers, err := Listings(reference.Path(t, "trust", "catalog-dev.txt"), reference.Path(t, "catalog"))
	if err != nil {
		t.Fatal(err)
	}
	count, err := Alarms(servers, Rules)
	if err != nil {
		t.Fatal(err)
	}
	if blocked, found := count.Shares(); count.All < 1000 || blocked > 0 || found > .005 {
		t.Errorf("%.4f of %d real tools are blocked and %.4f warned about; want none and at most .005", blocked, count.All, found)
	}
}

// TestTheClassifierKeepsWhatTheRulesReach skips the largest set, because each sentence
// takes some milliseconds.
func TestTheClassifierKeepsWhatTheRulesReach(t *testing.T) {
	folder := reference.Path(t, "trust")
	judge := Classifier(t.Context(), classifier.NewVectors(minilm.New(), 0))
	for _, set := range []string{"cisco", "mcpproxy", "mcpsecbench", "fabric", "safemcp"} {
		poisoned, clean, err := Labels(folder+"/"+set+".jsonl", judge)
		if err != nil {
			t.Fatal(err)
		}
		if blocked, found := poisoned.Shares(); blocked < reached[set].blocked || found < reached[set].found {
			t.Errorf("%s: %.3f of the poisoned cases are blocked and %.3f found", set, blocked, found)
		}
		if blocked, found := clean.Shares(); blocked > .02 || found > .10 {
			t.Errorf("%s: %.3f of the clean cases are blocked and %.3f warned about", set, blocked, found)
		}
	}
}
