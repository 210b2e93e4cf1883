package program

import (
	"strings"
	"testing"
)

func TestOnlyTheCommandRunOfAClientRunsAContainer(t *testing.T) {
	for line, want := range map[string]int{
		"docker run -i --rm image":              0,
		"/usr/bin/docker run image":             0,
		"podman --log-level debug run image":    2,
		"docker --context=remote -D run image":  2,
		"nerdctl container run image":           1,
		"docker exec -i box run":                -1,
		"docker compose run service":            -1,
		"docker mcp gateway run":                -1,
		"docker start -ai run":                  -1,
		"docker --context":                      -1,
		"npx run image":                         -1,
		"docker --host unix:///run/x.sock info": -1,
	} {
		words := strings.Fields(line)
		if got := ContainerRun(words[0], words[1:]); got != want {
			t.Errorf("%s: got %d, want %d", line, got, want)
		}
	}
}
