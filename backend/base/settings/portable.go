package settings

import (
	"bytes"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Check returns the error of Load for a file with this content.
func Check(file string, data []byte) error {
	_, err := parse(file, data)
	return err
}

// WithoutArguments returns the content of a settings file without the fixed arguments of tools, whose values may be
// secrets, and the tools whose arguments it left out, as SERVER.TOOL. If there are none, it returns data unchanged.
func WithoutArguments(data []byte) (without []byte, tools []string, err error) {
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil || len(root.Content) == 0 {
		return data, nil, err
	}
	_, discovery := member(resolve(root.Content[0]), "discovery")
	if discovery == nil {
		return data, nil, nil
	}
	for _, key := range []string{"tool_overrides", "toolOverrides"} {
		_, overrides := member(resolve(discovery), key)
		if overrides == nil {
			continue
		}
		list := resolve(overrides)
		list.Content = slices.DeleteFunc(list.Content, func(item *yaml.Node) bool {
			item = resolve(item)
			arguments, _ := member(item, "arguments")
			if arguments == nil {
				return false
			}
			at := slices.Index(item.Content, arguments)
			item.Content = slices.Delete(item.Content, at, at+2)
			_, server := member(item, "server")
			_, tool := member(item, "tool")
			if server != nil && tool != nil {
				tools = append(tools, server.Value+"."+tool.Value)
			}
			_, name := member(item, "name")
			_, description := member(item, "description")
			return name == nil && description == nil // then it has no effect any more
		})
	}
	if len(tools) == 0 {
		return data, nil, nil
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(&root); err != nil {
		return nil, nil, err
	}
	s := Default()
	decode(out.Bytes(), s.keys())
	for _, o := range s.Discovery.ToolOverrides {
		if len(o.Arguments) > 0 { // for example through a merge key
			return nil, nil, fault.New(fault.Invalid, "the fixed arguments of %s.%s cannot be left out; write them into its own entry of "+
				"config.yaml", o.Server, o.Tool)
		}
	}
	return out.Bytes(), tools, nil
}
