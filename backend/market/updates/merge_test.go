package updates

import (
	"reflect"
	"testing"

	"github.com/agent-discover/agent-discover/backend/market/installer"
)

func TestAnUpdateKeepsWhatAPersonHasChanged(t *testing.T) {
	from := installer.Configured{
		Transport: "stdio", Command: "npx", Args: []string{"-y", "weather@1.0.0", "--city", "Oslo"},
		Env: map[string]string{"TOKEN": "${secret:TOKEN}", "MODE": "all", "OLD": "x"}, Package: "weather", Version: "1.0.0",
	}
	to := installer.Configured{
		Transport: "stdio", Command: "npx", Args: []string{"-y", "weather@1.1.0", "--city", "Oslo"},
		Env: map[string]string{"TOKEN": "${secret:TOKEN}", "MODE": "all", "KEY": "${secret:KEY}"}, Package: "weather", Version: "1.1.0",
	}
	for name, test := range map[string]struct {
		change func(now *installer.Configured) // by a person
		new    func(to *installer.Configured)  // in the new version
		want   func(want *installer.Configured)
		notes  int
	}{
		"nothing": {},
		"a variable": {
			change: func(now *installer.Configured) {
				now.Env["MODE"] = "some"
			}, want: func(want *installer.Configured) { want.Env["MODE"] = "some" },
		},
		"another variable": {
			change: func(now *installer.Configured) {
				now.Env["MINE"] = "1"
			}, want: func(want *installer.Configured) { want.Env["MINE"] = "1" },
		},
		"a variable that both have changed": {
			change: func(now *installer.Configured) {
				now.Env["MODE"] = "some"
			}, new: func(to *installer.Configured) { to.Env["MODE"] = "none" },
			want: func(want *installer.Configured) { want.Env["MODE"] = "some" },
		},
		"a removed variable": {
			change: func(now *installer.Configured) {
				delete(now.Env, "MODE")
			}, want: func(want *installer.Configured) { delete(want.Env, "MODE") },
		},
		"an argument": {
			change: func(now *installer.Configured) { now.Args = append(now.Args, "--verbose") },
			want:   func(want *installer.Configured) { want.Args = append(want.Args, "--verbose") },
		},
		"an argument, with other arguments in the new version": {
			change: func(now *installer.Configured) { now.Args = append(now.Args, "--verbose") },
			new:    func(to *installer.Configured) { to.Args = to.Args[:2] },
			want:   func(want *installer.Configured) { want.Args = want.Args[:2] }, notes: 1,
		},
		"the package": {
			change: func(now *installer.Configured) { now.Args[1] = "fork@1.0.0" }, want: func(*installer.Configured) {}, notes: 1,
		},
		"the command": {
			change: func(now *installer.Configured) {
				now.Command = "/opt/npx"
			}, want: func(want *installer.Configured) { want.Command = "/opt/npx" },
		},
		"the command, with another command in the new version": {
			change: func(now *installer.Configured) {
				now.Command = "/opt/npx"
			}, new: func(to *installer.Configured) { to.Command = "uvx" },
			want: func(want *installer.Configured) { want.Command = "uvx" }, notes: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			now, after, want := clone(from), clone(to), clone(to)
			if test.change != nil {
				test.change(&now)
			}
			if test.new != nil {
				test.new(&after)
			}
			if test.want != nil {
				test.want(&want)
			}
			got, notes := merge(now, from, after)
			want.Headers = map[string]string{}
			if !reflect.DeepEqual(got, want) || len(notes) != test.notes {
				t.Errorf("got %+v, %q, want %+v", got, notes, want)
			}
		})
	}
	if got, _ := merge(clone(from), installer.Configured{}, to); got.Args[1] != "weather@1.1.0" {
		t.Errorf("without a record of the installation: %+v", got)
	}
}

func clone(c installer.Configured) installer.Configured {
	env := make(map[string]string)
	for name, text := range c.Env {
		env[name] = text
	}
	c.Env, c.Args = env, append([]string{}, c.Args...)
	return c
}
