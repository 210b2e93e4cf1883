package preinstall

import (
	"context"
	"path/filepath"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// installPython installs a package of Python with uv, which accepts the options of
// uvx. uv builds what is published as source only, which runs code of the package;
// uvx does that, too.
func (j job) installPython(ctx context.Context) error {
	env := j.env().With("UV_TOOL_DIR", filepath.Join(j.folder, "tools")).With("UV_TOOL_BIN_DIR", filepath.Join(j.folder, "bin"))
	args := append([]string{"tool", "install", "--quiet", "--no-progress"}, j.Options...)
	for _, more := range j.Packages[1:] {
		args = append(args, "--with", more)
	}
	return j.run(ctx, env, "uv", append(args, j.Packages[0])...)
}

// findPython returns the launch of the program that uvx would start.
func (j job) findPython() (upstream.Launch, error) {
	l := j.launch
	name := j.Program
	if name == "" {
		name = nameOf(j.Packages[0])
	}
	link := filepath.Join(j.folder, "bin", name)
	if filepath.Base(name) != name || !exists(link) {
		return l, j.missing(name)
	}
	program, err := filepath.EvalSymlinks(link)
	if err != nil {
		return l, fault.Wrap(err, fault.Failed, "could not find the program of %s", j.Packages[0])
	}
	l.Command, l.Args = program, j.Args
	return l, nil
}
