package setup

import (
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Preview returns the servers that a setup file and its local file declare, as they are written: variables of the
// environment are not expanded. problems are the errors of files that cannot be read. Entries that cannot be used are
// left out.
func Preview(file string) (servers []registry.Server, problems []error) {
	for _, name := range []string{file, local(file)} {
		if name == "" {
			continue
		}
		entries, err := readFile(name)
		if err != nil {
			problems = append(problems, err)
		}
		for _, e := range entries {
			if e.err == nil {
				servers = append(servers, registry.Server{
					Name: e.Name, Description: e.Description, Source: registry.FromFile, Transport: e.Transport,
					Command: e.Command, Args: e.Args, Env: e.Env, Dir: e.Dir, URL: e.URL, Headers: e.Headers,
				})
			}
		}
	}
	return servers, problems
}
