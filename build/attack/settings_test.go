//go:build linux

package attack

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/markettest"
)

// unread are variables that have no effect on npm and uv, or none that runs code. Only whether they are passed on is tried.
var unread = variation{reached, "unread", map[string]string{
	"GLIBC_TUNABLES": "planted=@home", "PIP_REQUIRE_VIRTUALENV": "@home", "PIP_INDEX_URL": "file://@home",
	"PIP_CONFIG_FILE": "@home/pip.conf", "PIP_EXTRA_INDEX_URL": "file://@home", "UV_PROJECT": "@home", "UV_TOOL_BIN_DIR": "@home/bin",
	"UV_PYTHON_INSTALL_DIR": "@home/pythons", "UV_PUBLISH_URL": "file://@home", "npm_config_globalconfig": "@home/npmrc",
	"JAVA_TOOL_OPTIONS": "-Dhome=@home", "RUBYOPT": "-I@home", "PERL5OPT": "-I@home", "BASH_ENV": "@home/missing",
}, nil, nil}

// furtherSettings are servers with further variables of npm, uv and pip.
var furtherSettings = []installation{
	{
		name: "global configuration of npm", command: "npx", pkg: "plain", installed: true,
		variables: []variation{
			{
				ofNPM, "npm_config_globalconfig",
				map[string]string{"npm_config_globalconfig": "@dir/npmrc"},
				map[string]string{"npmrc": "script-shell=@dir/shell\n", "shell": "#!/bin/sh\n@steal\nexec /bin/sh \"$@\"\n"},
				nil,
			},
			{
				ofNPM, "npm_config_logs_dir", map[string]string{"npm_config_logs_dir": "@home/stolen-npm_config_logs_dir"}, nil, nil,
			},
		},
		publish: func(t *testing.T, i *installing) { i.PublishNPM(t, "plain", nil, nil) },
	},
	{
		name: "further variables of npm", command: "npx", pkg: "plain", installed: true, variables: []variation{unread},
		publish: func(t *testing.T, i *installing) { i.PublishNPM(t, "plain", nil, nil) },
	},
	{
		name: "further variables of uv", command: "uvx", pkg: "tiny", installed: true, variables: []variation{
			unread,
			{ofUV, "UV_TOOL_DIR", map[string]string{"UV_TOOL_DIR": "@home/stolen-UV_TOOL_DIR"}, nil, nil},
			{
				ofUV, "UV_ENV_FILE",
				map[string]string{"UV_ENV_FILE": "@dir/variables"},
				map[string]string{"variables": "PYTHONPATH=@dir\n", "sitecustomize.py": python},
				nil,
			},
			{reached, "UV_CONSTRAINT", map[string]string{"UV_CONSTRAINT": "@dir/empty"}, map[string]string{"empty": "\n"}, nil},
			{reached, "UV_OVERRIDE", map[string]string{"UV_OVERRIDE": "@dir/empty"}, map[string]string{"empty": "\n"}, nil},
		}, publish: func(t *testing.T, i *installing) {
			i.PublishWheel(t, "tiny", map[string]string{"tiny.py": "def main(): pass\n"})
		},
	},
	{
		name: "index of uv", command: "uvx", pkg: "tiny", installed: true, variables: []variation{
			{
				ofUV, "UV_INDEX",
				map[string]string{"UV_INDEX": "file://@dir"},
				map[string]string{"tiny/index.html": `<a href="tiny-1.0-py3-none-any.whl">tiny-1.0-py3-none-any.whl</a>`},
				nil,
			},
		}, publish: func(t *testing.T, i *installing) {
			i.PublishWheel(t, "tiny", map[string]string{"tiny.py": "def main(): pass\n"})
			wheel := markettest.Wheel(t, "tiny", map[string]string{"tiny.py": i.module("UV_INDEX")})
			putAll(t, filepath.Join(i.folder, "UV_INDEX", "tiny"), map[string]string{"tiny-1.0-py3-none-any.whl": string(wheel)})
		},
	},
	{
		name: "variables of pip", command: "uvx", pkg: "piping", installed: true, publish: publishPiping, variables: []variation{
			{
				ofPIP, "PIP_CONFIG_FILE",
				map[string]string{"PIP_CONFIG_FILE": "@dir/pip.conf"},
				map[string]string{"pip.conf": "[global]\nno-index = true\nfind-links = @dir/simple/planted\n"},
				nil,
			},
			{ofPIP, "PIP_INDEX_URL", map[string]string{"PIP_INDEX_URL": "file://@dir/simple"}, nil, nil},
			{ofPIP, "PIP_EXTRA_INDEX_URL", map[string]string{"PIP_EXTRA_INDEX_URL": "file://@dir/simple"}, nil, nil},
		},
	},
}

// publishPiping publishes a Python package as source, which runs pip while it is built, once for each variable of pip.
func publishPiping(t *testing.T, i *installing) {
	build, wheel := "", markettest.Wheel(t, "planted", nil)
	for _, variable := range []string{"PIP_CONFIG_FILE", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"} {
		putAll(t, filepath.Join(i.folder, variable, "simple", "planted"), map[string]string{
			"planted-1.0.tar.gz": string(markettest.Tarball(t, "planted-1.0/", i.projectOf("planted", variable, wheel))),
			"index.html":         `<a href="planted-1.0.tar.gz">planted-1.0.tar.gz</a>`,
		})
		build += fmt.Sprintf("env -u PIP_CONFIG_FILE -u PIP_INDEX_URL -u PIP_EXTRA_INDEX_URL %[1]s=\"$%[1]s\" /usr/bin/python3 -m pip "+
			"download --no-deps --no-build-isolation --retries 0 --timeout 1 -d $(mktemp -dp .) planted; ", variable)
	}
	files := i.project("piping")
	files["backend.py"] = "import os\nos.system('''" + build + "''')\n" + files["backend.py"]
	i.PublishPython("piping", "piping-1.0.tar.gz", markettest.Tarball(t, "piping-1.0/", files))
}
