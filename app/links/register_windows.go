package links

import (
	"errors"

	"golang.org/x/sys/windows/registry"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

const classes = `Software\Classes\`

func register(scheme, program string) error {
	for _, v := range []struct{ key, name, value string }{
		{scheme, "", "URL:Agent Discover"},
		{scheme, "URL Protocol", ""},
		{scheme + `\DefaultIcon`, "", `"` + program + `",0`},
		{scheme + `\shell\open\command`, "", command(program)},
	} {
		key, _, err := registry.CreateKey(registry.CURRENT_USER, classes+v.key, registry.SET_VALUE)
		if err == nil {
			err = errors.Join(key.SetStringValue(v.name, v.value), key.Close())
		}
		if err != nil {
			return fault.Wrap(err, fault.Unavailable, "could not register %s: addresses: the registry key %s is not writable",
				scheme, classes+v.key)
		}
	}
	return nil
}

func unregister(scheme, program string) error {
	key, err := registry.OpenKey(registry.CURRENT_USER, classes+scheme+`\shell\open\command`, registry.QUERY_VALUE)
	if err != nil {
		return nil // nothing is registered
	}
	registered, _, err := key.GetStringValue("")
	_ = key.Close() // the key was only read
	if err == nil && registered != command(program) {
		return nil
	}
	for _, name := range []string{`\shell\open\command`, `\shell\open`, `\shell`, `\DefaultIcon`, ``} {
		if err := registry.DeleteKey(registry.CURRENT_USER, classes+scheme+name); err != nil && !errors.Is(err, registry.ErrNotExist) {
			return fault.Wrap(err, fault.Unavailable, "could not remove the registry key %s", classes+scheme+name)
		}
	}
	return nil
}

// command returns the command with which the system opens an address. Windows paths cannot contain quotes.
func command(program string) string { return `"` + program + `" ` + Flag + ` "%1"` }
