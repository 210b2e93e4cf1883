package words

import "testing"

func TestEveryStateOutcomeAndClientHasAWordAndAnExplanation(t *testing.T) {
	for _, state := range []string{Waiting, Incomplete, Failing, CallsFail, Running, Stopped, Paused} {
		if Server(state, false) == state {
			t.Errorf("the state %s has no word", state)
		}
	}
	for _, client := range []string{Dashboard, CommandLine, REST} {
		if Client(client) == client {
			t.Errorf("the client %s has no word", client)
		}
	}
	for name, labels := range map[string]map[string]label{
		"servers": table.Servers, "checks": table.Checks, "outcomes": table.Outcomes, "clients": table.Clients,
		"listed": {"": table.Listed},
	} {
		if len(labels) == 0 {
			t.Errorf("%s has no words", name)
		}
		for id, l := range labels {
			if l.Word == "" || l.Title == "" {
				t.Errorf("%s %s: the word is %q, the explanation %q", name, id, l.Word, l.Title)
			}
		}
	}
}

func TestEveryServerThatDoesNotRunIsPausedWhileAllServersAre(t *testing.T) {
	for state, want := range map[string]string{
		Stopped: "Paused", Running: "Running", Failing: "Failing, paused", CallsFail: "Calls fail, paused", "other": "other, paused",
	} {
		if got := Server(state, true); got != want {
			t.Errorf("%s while paused: got %q, want %q", state, got, want)
		}
	}
}

func TestWordsInTheMiddleOfALineAreSmallUnlessTheyAreAbbreviations(t *testing.T) {
	for word, want := range map[string]string{"Tool error": "tool error", "OK": "OK", "REST API": "REST API", "": "", "A": "a"} {
		if got := Lower(word); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}
