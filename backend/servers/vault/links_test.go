package vault_test

import (
	"fmt"
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/launch"
)

func TestASecretIsMissingExactlyIfTheServerDoesNotStartWithoutIt(t *testing.T) {
	d := newFixture(t).unlock("a passphrase")
	d.set("user", "OWN", "value")
	d.set("one", "LINKED", "value")
	d.set("one", "SET", "value")
	launch := func(reference string) launch.Launch {
		return launch.Launch{Transport: "stdio", Command: "run", Env: map[string]string{"X": "before " + launch.Reference(reference)}}
	}
	for _, row := range []struct{ reference, want string }{
		{"OWN", "[]"},
		{"user/OWN", "[{ user/OWN false}]"},
		{"NEW", "[{ NEW false}]"},
		{"one/LINKED", "[]"},
		{"one/SET", "[{one SET true}]"},
		{"one/NEW", "[{one NEW false}]"},
		{"two/LINKED", "[{two LINKED false}]"},
	} {
		as := launch(row.reference)
		if row.reference == "one/LINKED" {
			if err := d.Link(t.Context(), "user", as, "one", "LINKED"); err != nil {
				t.Fatal(err)
			}
		}
		missing, err := d.Missing(t.Context(), "user", as)
		if got := fmt.Sprint(missing); err != nil || got != row.want {
			t.Errorf("%s: missing is %s, %v; want %s", row.reference, got, err, row.want)
		}
		if _, err := d.Fill(t.Context(), "user", as); (err != nil) != (len(missing) > 0) {
			t.Errorf("%s: missing is %v, and a start gets %v", row.reference, missing, err)
		}
	}
}
