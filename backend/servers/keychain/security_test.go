package keychain

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/launch"
)

func TestTheLargestSecretFitsIntoACommandOfMacOS(t *testing.T) {
	// The program security of macOS reads commands of at most 4,095 bytes, including the newline. It runs the rest of a
	// longer line as further commands. It exits with the status of the last command, so that an error of the first is
	// lost.
	const most = 4095
	// The library encodes the value and quotes the account; a quote becomes five characters.
	name := max(len(strings.Repeat("\U0010ffff", launch.MaxSecretName)), len(strings.Repeat(`'"'"'`, launch.MaxSecretName)))
	server := len(strings.Repeat(`'"'"'`, 64))
	folder := len(folderID("/Users/ada/.agent-discover"))
	value := len("go-keyring-base64:") + base64.StdEncoding.EncodedLen(MaxValue)
	line := len("add-generic-password -U -s ") + len(service) + len(" -a '//' -w ''\n") + folder + server + name + value
	if line > most {
		t.Errorf("the command may have %d bytes, more than %d", line, most)
	}
}

func TestErrorsOfMacOSSayWhatToDo(t *testing.T) {
	for code, want := range map[int]string{
		36: "unlock-keychain", 37: "create one", 50: "create one", 51: "refused", 128: "allow the access", 1: "error 1",
	} {
		if got := securityError(code); !strings.Contains(got, want) || strings.HasSuffix(got, ".") {
			t.Errorf("%d: got %q, want it to contain %q", code, got, want)
		}
	}
}
