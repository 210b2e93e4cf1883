package sandbox

import (
	"os"
	"testing"
)

// commands maps the first argument of this binary to the function that runs instead of the tests.
var commands = map[string]func(args []string){}

// TestMain lets tests start this binary as another program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if run := commands[os.Args[1]]; run != nil {
			run(os.Args[2:])
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}
