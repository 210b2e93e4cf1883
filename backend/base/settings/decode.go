package settings

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// versionDirective matches the version that the file declares, such as 1.2.
var versionDirective = regexp.MustCompile(`(?m)^%YAML[ \t]+1\.[0-9]\b`)

// decode reads settings from a YAML text into the variables in keys, which maps the
// name of each setting to its variable. A setting in a group is named group.setting.
// Settings that the text leaves out or gives no value are not changed. Errors name
// the line or the key, and no value.
func decode(text []byte, keys map[string]any) error {
	var document yaml.Node
	text = versionDirective.ReplaceAll(text, []byte("%YAML 1.1")) // the only version that the parser knows; it reads the others all the same
	if err := yaml.Unmarshal(text, &document); err != nil {
		return fmt.Errorf("not valid YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(document.Content) == 0 {
		return nil // empty, or only comments
	}
	var unknown []string
	if err := decodeGroup(document.Content[0], "", keys, &unknown); err != nil {
		return err
	}
	if len(unknown) > 0 {
		return fmt.Errorf("unknown settings: %s", strings.Join(unknown, ", "))
	}
	return nil
}

// decodeGroup decodes a group of settings, whose keys begin with prefix, and adds
// the keys that do not exist to unknown.
func decodeGroup(n *yaml.Node, prefix string, keys map[string]any, unknown *[]string) error {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Tag == "!!null" {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: %s must be a group of settings, each as in name: value", n.Line, groupName(prefix))
	}
	var group map[string]yaml.Node
	if err := n.Decode(&group); err != nil { // a key exists twice or is not a string
		return fmt.Errorf("line %d: the keys of %s must be distinct names", n.Line, groupName(prefix))
	}
	for _, name := range slices.Sorted(maps.Keys(group)) {
		key, value := prefix+name, group[name]
		if variable, ok := keys[key]; ok {
			if err := decodeValue(&value, key, variable); err != nil {
				return err
			}
			continue
		}
		if !isGroup(key, keys) {
			*unknown = append(*unknown, key)
			continue
		}
		if err := decodeGroup(&value, key+".", keys, unknown); err != nil {
			return err
		}
	}
	return nil
}

func groupName(prefix string) string {
	if prefix == "" {
		return "the file"
	}
	return strings.TrimSuffix(prefix, ".")
}

func isGroup(key string, keys map[string]any) bool {
	for one := range keys {
		if strings.HasPrefix(one, key+".") {
			return true
		}
	}
	return false
}

func decodeValue(n *yaml.Node, key string, variable any) error {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Tag == "!!null" {
		return nil
	}
	var kind string
	fits := true
	switch variable.(type) {
	case *int:
		kind = "a whole number"
		fits = n.ShortTag() == "!!int" // Decode would cut fractions off
	case *bool:
		kind = "true or false"
	case *time.Duration:
		kind = "a time such as 30s or 5m; a number needs a unit"
	case *[]string:
		kind = "a list of texts"
	default:
		kind = "a text"
	}
	if !fits || n.Decode(variable) != nil {
		return fmt.Errorf("line %d: %s must be %s", n.Line, key, kind)
	}
	return nil
}
