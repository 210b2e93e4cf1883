//go:build linux

package attack

import (
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/markettest"
)

// referring are packages whose names, dependencies or options stand for something else than a package of a registry.
var referring = []installation{
	{
		name: "aliases", command: "npx", pkg: "renaming", installed: true, publish: publishRenaming,
		attacks: map[string]string{
			"hidden-preinstall": aliased, "hidden-postinstall": aliased, "hidden-node": aliased, "hidden-npm": aliased,
		},
	},
	{
		name: "path as a name", command: "npx", pkg: "climbing", attacks: map[string]string{"climbing": aliased},
		publish: func(t *testing.T, i *installing) {
			i.PublishNPM(t, "inner", map[string]string{"stolen": ""}, nil)
			i.PublishNPM(t, "climbing", nil, map[string]any{"dependencies": map[string]string{
				"../../../../../../.." + i.Dir + "/stolen-climbing": "npm:inner@1.0.0",
			}})
		},
	},
	{
		name: "Python from git", command: "uvx", pkg: "fetching", attacks: map[string]string{"gitted": fromGit},
		publish: func(t *testing.T, i *installing) {
			repository := filepath.Join(i.Dir, "repository")
			putAll(t, repository, i.project("gitted"))
			commitAll(t, repository)
			i.publishRequiring(t, "fetching", "gitted", "git+file://"+repository)
		},
	},
	{
		name: "Python from a file", command: "uvx", pkg: "reading", attacks: map[string]string{"filed": fromFiles},
		publish: func(t *testing.T, i *installing) {
			putAll(t, filepath.Join(i.Dir, "private"), map[string]string{"filed-1.0-py3-none-any.whl": i.holding(t, "filed")})
			i.publishRequiring(t, "reading", "filed", "file://"+i.Dir+"/private/filed-1.0-py3-none-any.whl")
		},
	},
	{
		name: "Python from an address", command: "uvx", pkg: "calling", attacks: map[string]string{"called": fromHere},
		publish: func(t *testing.T, i *installing) {
			i.publishRequiring(t, "calling", "called", i.listener+"/called/called-1.0-py3-none-any.whl")
		},
	},
	{
		name: "Python from an index", command: "uvx", pkg: "indexed", attacks: map[string]string{"indexed": fromFiles},
		options: func(i *installing) []string { return []string{"--index", i.Dir + "/private/simple"} },
		publish: func(t *testing.T, i *installing) {
			putAll(t, filepath.Join(i.Dir, "private", "simple", "indexed"), map[string]string{
				"index.html":                   `<a href="indexed-1.0-py3-none-any.whl">indexed-1.0-py3-none-any.whl</a>`,
				"indexed-1.0-py3-none-any.whl": i.holding(t, "indexed"),
			})
		},
	},
	{
		name: "editable folder", command: "uvx", pkg: "tiny", attacks: map[string]string{"edited": folders},
		publish: publishFolder("edited"),
		options: func(i *installing) []string { return []string{"--with-editable", i.Dir + "/private/edited"} },
	},
	{
		name: "folder", command: "uvx", pkg: "tiny", attacks: map[string]string{"built": folders}, publish: publishFolder("built"),
		options: func(i *installing) []string { return []string{"--from", i.Dir + "/private/built"} },
	},
	{
		name: "relative folder", command: "uvx", pkg: "near", attacks: map[string]string{"near": folders},
		options: func(*installing) []string { return []string{"--from", "."} },
		publish: func(t *testing.T, i *installing) { putAll(t, i.Dir, i.project("near")) },
	},
}

// publishRenaming publishes a package that has another one twice, with names that hide what that one is.
func publishRenaming(t *testing.T, i *installing) {
	program := func(name string) string { return "#!/bin/sh\n" + i.steal(name) + "\n" }
	i.PublishNPM(t, "hidden", map[string]string{"node.sh": program("hidden-node"), "npm.sh": program("hidden-npm")}, map[string]any{
		"scripts": map[string]string{
			"preinstall": i.steal("hidden-preinstall"), "install": "true", "postinstall": i.steal("hidden-postinstall"),
		},
		"bin": map[string]string{"node": "node.sh", "npm": "npm.sh", "npx": "npm.sh"},
	})
	i.PublishNPM(t, "renaming", nil, map[string]any{
		"dependencies": map[string]string{"harmless": "npm:hidden@1.0.0", "npm": "npm:hidden@1.0.0"},
	})
}

// publishFolder returns a function that makes a folder of the user which is a Python project.
func publishFolder(name string) func(t *testing.T, i *installing) {
	return func(t *testing.T, i *installing) {
		putAll(t, filepath.Join(i.Dir, "private", name), i.project(name))
		i.PublishWheel(t, "tiny", map[string]string{"tiny.py": "def main(): pass\n"})
	}
}

// publishRequiring publishes a Python package that requires another one at an address, and runs it.
func (i *installing) publishRequiring(t *testing.T, name, other, address string) {
	i.PublishWheel(t, name, map[string]string{
		name + ".py": "import " + other + "\ndef main(): " + other + ".main()\n",
		name + "-1.0.dist-info/METADATA": fmt.Sprintf("Metadata-Version: 2.1\nName: %s\nVersion: 1.0\nRequires-Dist: %s @ %s\n",
			name, other, address),
	})
}

// holding returns a Python package that contains the key, and leaves it where it can.
func (i *installing) holding(t *testing.T, name string) string {
	steal := stealing(name, `"$FOUND"`, i.Dir, ".", "${TMPDIR:-.}")
	return string(markettest.Wheel(t, name, map[string]string{
		name + "-secret": key + "\n",
		name + ".py": fmt.Sprintf("import os\ndef main():\n    os.environ['FOUND'] = os.path.join(os.path.dirname(__file__), '%s-secret')\n"+
			"    os.system(%q)\n", name, steal),
	}))
}

// project returns the files of a Python project that runs a script with its name while it is built.
func (i *installing) project(name string) map[string]string {
	return i.projectOf(name, name, markettest.Wheel(i.T, name, map[string]string{name + ".py": "def main(): pass\n"}))
}

// projectOf returns the files of a Python project that runs a script while it is built, and whose build is a wheel.
func (i *installing) projectOf(name, script string, wheel []byte) map[string]string {
	build := fmt.Sprintf("import base64, os\ndef build_wheel(directory, settings=None, metadata=None):\n    os.system(%q)\n"+
		"    open(directory + '/%s-1.0-py3-none-any.whl', 'wb').write(base64.b64decode(%q))\n"+
		"    return '%[2]s-1.0-py3-none-any.whl'\nbuild_editable = build_wheel\n", i.steal(script), name,
		base64.StdEncoding.EncodeToString(wheel))
	return map[string]string{
		"pyproject.toml": "[build-system]\nrequires = []\nbuild-backend = \"backend\"\nbackend-path = [\".\"]\n[project]\n" +
			"name = \"" + name + "\"\nversion = \"1.0\"\n",
		"backend.py": build, "PKG-INFO": "Metadata-Version: 2.1\nName: " + name + "\nVersion: 1.0\n",
	}
}

// putAll writes executable files into a folder.
func putAll(t *testing.T, folder string, files map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(folder, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(files[name]), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// commitAll makes a git repository of a folder.
func commitAll(t *testing.T, folder string) {
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."}, {"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "all"},
	} {
		git := exec.CommandContext(t.Context(), "git", args...)
		git.Dir = folder
		if out, err := git.CombinedOutput(); err != nil {
			t.Logf("left out, because git cannot be used: %s", out)
		}
	}
}
