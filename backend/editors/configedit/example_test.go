package configedit_test

import (
	"bytes"
	"fmt"

	"github.com/agent-discover/agent-discover/backend/editors/configedit"
)

// An entry is added to JSON with comments and removed again. Every other byte
// stays as it is.
func Example() {
	text := []byte(`{
  // servers for work
  "mcpServers": {
    "files": {"command": "npx"}, // do not remove
  },
}
`)
	place := configedit.Place{Format: configedit.JSON, Keys: []string{"mcpServers"}}

	added, err := configedit.Put(text, place, "discover", configedit.Object{
		{Key: "command", Value: "agent-discover"},
		{Key: "args", Value: []string{"mcp"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s", added.Text)

	removed, err := configedit.Remove(added.Text, place, "discover")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("unchanged after removal:", bytes.Equal(removed.Text, text))

	// Output:
	// {
	//   // servers for work
	//   "mcpServers": {
	//     "discover": {
	//       "command": "agent-discover",
	//       "args": ["mcp"]
	//     },
	//     "files": {"command": "npx"}, // do not remove
	//   },
	// }
	// unchanged after removal: true
}
