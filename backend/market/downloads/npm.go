package downloads

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/market/packagemanager"
	"github.com/agent-discover/agent-discover/backend/market/subprocess"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// runScripts runs the installation scripts of the packages that npm has installed, if there are any. They run in the
// sandbox of the server, without the variables that are configured for it. As in npm, an optional package whose scripts
// fail is removed.
func (j job) runScripts(ctx context.Context) error {
	required, optional := j.scripted()
	if len(required) > 0 {
		if err := j.rebuild(ctx, required...); err != nil {
			return err
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(optional)) {
		if err := j.rebuild(ctx, optional[folder]); err != nil {
			if ctx.Err() != nil {
				return err
			}
			root, err := os.OpenRoot(j.folder)
			if err != nil {
				return err
			}
			err = root.RemoveAll(folder)
			_ = root.Close()
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// scripted returns the installed packages that have installation scripts: the names of those that the server needs, and
// the names of the optional ones by their folders.
func (j job) scripted() (required []string, optional map[string]string) {
	listed, err := paths.ReadRegular(filepath.Join(j.folder, "node_modules", ".package-lock.json"), maxDescription)
	var lock struct {
		Packages map[string]struct {
			Scripts     bool `json:"hasInstallScript"`
			Optional    bool `json:"optional"`
			DevOptional bool `json:"devOptional"`
		}
	}
	if err != nil || json.Unmarshal(listed, &lock) != nil {
		return nil, nil
	}
	optional = make(map[string]string)
	for _, folder := range slices.Sorted(maps.Keys(lock.Packages)) {
		p := lock.Packages[folder]
		name := folder[strings.LastIndex(folder, "node_modules/")+len("node_modules/"):]
		switch {
		case !p.Scripts || !filepath.IsLocal(folder):
		case p.Optional || p.DevOptional:
			optional[folder] = name
		case !slices.Contains(required, name):
			required = append(required, name)
		}
	}
	return required, optional
}

// rebuild runs the installation scripts of packages.
func (j job) rebuild(ctx context.Context, names ...string) error {
	scripts := j.launch
	scripts.Command, scripts.Args, scripts.Files, scripts.Own = j.Beside("npm"), append([]string{
		"rebuild", "--prefix", j.folder, "--loglevel=error", "--",
	}, names...), nil, nil
	l, err := j.use.Scripts(scripts, j.folder)
	if err != nil {
		return err
	}
	if output, err := subprocess.RunLaunch(ctx, l, func(string) {}); err != nil {
		where := "in the sandbox"
		if j.level == registry.Strict {
			where = "in the strict sandbox, where they reach only addresses that are granted (guard allows all)"
		}
		return scriptError{fault.Wrap(err, fault.Failed, "the installation scripts of %s failed %s: %s", j.Packages[0], where,
			j.redactor.Text(output[max(len(output)-600, 0):]))}
	}
	return nil
}

// findNPM returns the launch of the program that npx would start: the program that the command line names, otherwise
// the only one of the package, otherwise the one with the name of the package.
func (j job) findNPM() (upstream.Launch, error) {
	l := j.launch
	modules := filepath.Join(j.folder, "node_modules")
	name := j.Program
	if name == "" {
		var err error
		if name, err = binOf(filepath.Join(modules, filepath.FromSlash(packagemanager.NameOf(j.Packages[0])))); err != nil {
			return l, err
		}
	}
	link := filepath.Join(modules, ".bin", name)
	if name == "" || filepath.Base(name) != name || !exists(link) {
		return l, j.missing(name)
	}
	program, err := j.inside(link)
	if err != nil {
		return l, err
	}
	path := filepath.Join(modules, ".bin") + string(filepath.ListSeparator)
	if folder := j.Folder(); folder != "" { // so that the program finds the Node.js beside npx
		path += folder + string(filepath.ListSeparator)
	}
	l.Command, l.Args, l.Env = program, j.Args, l.Env.With("PATH", path+l.Env.Get("PATH"))
	return l, nil
}

// binOf returns the name of the program that npx starts for a package.
func binOf(folder string) (string, error) {
	data, err := paths.ReadRegular(filepath.Join(folder, "package.json"), maxDescription)
	if err != nil {
		return "", fault.Wrap(err, fault.Failed, "could not read the description of an installed package")
	}
	var described struct {
		Name string          `json:"name"`
		Bin  json.RawMessage `json:"bin"`
	}
	if err := json.Unmarshal(data, &described); err != nil {
		return "", fault.Wrap(err, fault.Failed, "the description of an installed package is malformed")
	}
	short := described.Name[strings.LastIndexByte(described.Name, '/')+1:]
	var programs map[string]string
	if json.Unmarshal(described.Bin, &programs) != nil { // a string is the path of the only program
		return short, nil
	}
	if _, ok := programs[short]; ok || len(programs) == 0 {
		return short, nil
	}
	names := slices.Sorted(maps.Keys(programs))
	for _, name := range names {
		if programs[name] != programs[names[0]] {
			return short, nil
		}
	}
	return names[0], nil // the only program, perhaps with several names
}

// maxDescription is the maximum size of a package.json or package-lock.json file in bytes.
const maxDescription = 32 << 20
