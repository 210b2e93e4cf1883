package settings

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Editor changes single values of the settings file and keeps its comments and
// layout. The functions are passed in, so that this package does not depend on
// packages that edit files.
type Editor struct {
	// Set returns a copy of data in which the value at the path keys is set and every
	// other byte is unchanged.
	Set func(data []byte, keys []string, value any) ([]byte, error)
	// Edit replaces the content of a file by what edit returns for it. A person
	// may be saving the file at the same moment, so Edit may call check and edit
	// several times. check returns an error if data is not a complete settings
	// file.
	Edit func(path string, check func(data []byte) error, edit func(data []byte) ([]byte, error)) error
}

// Keep sets one value in the settings file and leaves the rest of the file unchanged.
// If Load rejects the file, or would reject it with the value, Keep returns the error
// of Load and does not change the file.
func (e Editor) Keep(file string, keys []string, value any) error {
	check := func(data []byte) error {
		_, err := parse(file, data)
		return err
	}
	return e.Edit(file, check, func(data []byte) ([]byte, error) {
		if err := check(data); err != nil {
			return nil, err
		}
		changed, err := e.Set(data, spelled(data, keys), value)
		if err != nil {
			return nil, err
		}
		return changed, check(changed)
	})
}

// spelled returns the path of a setting as data spells it: the former path if data contains it, otherwise the current
// path.
func spelled(data []byte, keys []string) []string {
	key := strings.Join(keys, ".")
	for _, row := range Table {
		if row.Former == "" || row.Key != key && row.Former != key {
			continue
		}
		var root yaml.Node
		if yaml.Unmarshal(data, &root) == nil && has(&root, strings.Split(row.Former, ".")) {
			return strings.Split(row.Former, ".")
		}
		return strings.Split(row.Key, ".")
	}
	return keys
}

// has reports whether a document has a value at a path.
func has(root *yaml.Node, path []string) bool {
	if len(root.Content) == 0 {
		return false
	}
	at := root.Content[0]
	for _, name := range path {
		_, value := member(resolve(at), name)
		if value == nil {
			return false
		}
		at = value
	}
	return true
}
