package importer

import (
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// RemoteEntry returns an entry for a remote server in the format of an editor, for pasting into its
// file. Headers are written unchanged. If no editor is given, or if the editor cannot connect to
// remote servers, RemoteEntry uses the format that most clients read; in the second case, Left
// contains the reason.
func (i *Importer) RemoteEntry(editor, name, url string, headers map[string]string) (Exported, error) {
	s := table.Server{Transport: "streamable-http", URL: url, Headers: headers}
	left := []string{}
	if editor != "" {
		e, ok := table.ByID(editor)
		if !ok {
			return Exported{}, unknownEditor(editor)
		}
		out, place, shape := i.target(e)
		text, err := entryText(place, shape, name, s)
		if err == nil {
			out.Text = text
			return out, nil
		}
		left = append(left, fault.MessageOf(err))
	}
	text, err := entryText(configedit.Place{Format: configedit.JSON, Keys: []string{"mcpServers"}}, "typed", name, s)
	return Exported{Format: string(configedit.JSON), Text: text, Left: left}, err
}

// entryText returns a file with one entry.
func entryText(place configedit.Place, shape, name string, s table.Server) (string, error) {
	entry, err := table.Spell(shape, name, s)
	if err != nil {
		return "", err
	}
	change, err := configedit.Put(nil, place, name, entry)
	return string(change.Text), err
}
