package settings

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// RenameServer replaces the name of a server in all rules of the settings file, and leaves the rest of the file unchanged.
// It reports whether the file contained the name. If dry is set, it does not change the file. If a rule names the server
// in a way that cannot be changed here, the error is a fault.Invalid, and the file is unchanged.
func (e Editor) RenameServer(file, name, to string, dry bool) (found bool, err error) {
	data, err := paths.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fault.Wrap(err, fault.Unavailable, "could not read the settings: %s", paths.Reason(err))
	}
	changed, err := renameServer(data, name, to)
	if found = err == nil && !bytes.Equal(changed, data); !found || dry {
		return found, err
	}
	check := func(data []byte) error {
		_, err := parse(file, data)
		return err
	}
	return true, e.Edit(file, check, func(data []byte) ([]byte, error) {
		changed, err := renameServer(data, name, to)
		if err != nil {
			return nil, err
		}
		return changed, check(changed)
	})
}

// renameServer replaces the value of each member server of a rule that is name.
func renameServer(data []byte, name, to string) ([]byte, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil || len(root.Content) == 0 {
		return data, err
	}
	var named []*yaml.Node
	for _, group := range []string{"discovery", "trust"} {
		if _, value := member(root.Content[0], group); value != nil {
			named = append(named, serversIn(value, name)...)
		}
	}
	lines := slices.Collect(strings.Lines(string(data)))
	slices.SortFunc(named, func(a, b *yaml.Node) int { return b.Column - a.Column }) // a change moves what follows in its line
	for _, n := range slices.Compact(named) {
		line := []rune(lines[n.Line-1])
		at := n.Column - 1
		if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
			at++
		}
		end := at + len(name) // names of servers are ASCII
		if at < 0 || end > len(line) || string(line[at:end]) != name {
			return nil, fault.New(fault.Invalid, "line %d of config.yaml names server %q in a way that cannot be changed here; change it to %q "+
				"yourself, then try again", n.Line, name, to)
		}
		lines[n.Line-1] = string(line[:at]) + to + string(line[end:])
	}
	return []byte(strings.Join(lines, "")), nil
}

// serversIn returns the values of all members named server below a node that are name.
func serversIn(n *yaml.Node, name string) (found []*yaml.Node) {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].Value == "server" && child.Kind == yaml.ScalarNode &&
			child.Value == name {
			found = append(found, child)
		}
		found = append(found, serversIn(child, name)...)
	}
	return found
}
