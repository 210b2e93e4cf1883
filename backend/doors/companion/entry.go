package companion

import (
	"os"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
)

// Entry describes a companion to the hub: the settings in the editor's configuration entry that has started the
// companion, its working directory and its project.
type Entry struct {
	// Client is the id of the editor, whose limits decide how tools are adapted; empty if the entry has no id.
	Client string `json:"client,omitempty"`
	// Surface names the set of tools that the client is shown; see package surfaces.
	Surface string `json:"surface,omitempty"`
	// Folder is the companion's working directory, which is that of the editor or of its project; empty if it
	// is not known. A server that runs for this client alone gets the folder as its root, if the client has no
	// roots of its own.
	Folder string `json:"folder,omitempty"`
	Project
}

// maxEntryText is the maximum length of Entry.Client and of Entry.Surface, in characters.
const maxEntryText = 250

// maxFolder is the maximum length of Entry.Folder, in bytes.
const maxFolder = 4096

// Check returns an error if the hub would refuse the entry.
func (e Entry) Check() error {
	for _, text := range []string{e.Client, e.Surface} {
		if !utf8.ValidString(text) || utf8.RuneCountInString(text) > maxEntryText {
			return fault.New(fault.Invalid, "invalid client or surface: use at most %d characters", maxEntryText)
		}
	}
	if err := e.Project.check(); err != nil {
		return err
	}
	if !utf8.ValidString(e.Folder) || len(e.Folder) > maxFolder {
		return fault.New(fault.Invalid, "invalid working directory: use at most %d bytes of UTF-8", maxFolder)
	}
	return surfaces.Check(e.Surface)
}

// WorkingFolder returns the working directory of this process for Entry.Folder, empty if it is unknown or too
// long.
func WorkingFolder() string {
	folder, err := os.Getwd()
	if err != nil || !utf8.ValidString(folder) || len(folder) > maxFolder {
		return ""
	}
	return folder
}
