package upstream

import (
	"slices"
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

func TestArgumentsWithSecretsAreNotStored(t *testing.T) {
	plain := []string{"-H", "ssh://host", "run", "image"}
	secret := []string{"-H", "ssh://user:${secret:P}@host", "run", "image"}
	filled := []string{"-H", "ssh://user:correct-horse@host", "run", "image"}
	for _, row := range []struct{ configured, filled, stored []string }{{plain, plain, plain[:2]}, {secret, filled, nil}} {
		l := Launch{Command: "docker", Args: slices.Clone(row.filled)}
		c := labelled(&l, registry.Server{Args: row.configured}, registry.Server{Args: row.filled}, "hub")
		if c == nil || !slices.Equal(c.Before, row.stored) || !slices.Equal(c.args, row.filled[:2]) {
			t.Errorf("%q: %+v", row.configured, c)
		}
	}
}
