package paths

import (
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// CheckPlace returns an error if a program's path is valid only while it runs, so
// that no file may refer to it: macOS runs a downloaded application that was not
// moved with the Finder from a read-only copy in a folder with a random name.
func CheckPlace(program string) error {
	if strings.Contains(program, "/AppTranslocation/") {
		return fault.New(fault.Unavailable, "macOS runs this program from a temporary copy, because it was downloaded; "+
			"quit it, move it with the Finder to Applications, and open it again")
	}
	return nil
}
