package cli

import "testing"

func TestThePersonReadsWhatATokenOpens(t *testing.T) {
	for surface, want := range map[string]string{
		"": "all servers that you have approved", "meta": "all servers that you have approved", "server:git\x1b": "the server git\\x1b",
		"toolset:daily": "the tools of the toolset daily, and the prompts and resources of their servers",
	} {
		if got := tokenOpens(surface); got != want {
			t.Errorf("%q opens %q, want %q", surface, got, want)
		}
	}
}
