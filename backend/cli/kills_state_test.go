//go:build linux

package cli_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

// facts are what a person has configured.
type facts struct {
	Servers  map[string]serverFacts
	Secrets  map[string]string // by server and name: "set", or the value of a secret of the server keyed
	Toolsets map[string]string // the tools by name
	Lists    map[string]string // the rules, each as PATTERN@SERVER, and a setting
}

type serverFacts struct {
	Command, Description, Tags, Env string
	Approved, Disabled              bool
}

func (f facts) clone() facts {
	return facts{maps.Clone(f.Servers), maps.Clone(f.Secrets), maps.Clone(f.Toolsets), maps.Clone(f.Lists)}
}

// lines returns all facts by name.
func (f facts) lines() map[string]string {
	all := make(map[string]string)
	for name, s := range f.Servers {
		all["server "+name] = fmt.Sprintf("%+v", s)
	}
	for kind, list := range map[string]map[string]string{"secret": f.Secrets, "toolset": f.Toolsets, "list": f.Lists} {
		for name, value := range list {
			all[kind+" "+name] = value
		}
	}
	return all
}

// between reports whether each fact is as it was before a change or as it is after it.
func (f facts) between(before, after facts) bool {
	now, old, wanted := f.lines(), before.lines(), after.lines()
	for _, names := range []map[string]string{now, old, wanted} {
		for name := range names {
			if now[name] != old[name] && now[name] != wanted[name] {
				return false
			}
		}
	}
	return true
}

// observe asks the hub for the facts. The values of secrets are those of the last time, unless values is set: then a server
// tells which ones it gets.
func (k *killing) observe(values bool) facts {
	k.t.Helper()
	f := facts{make(map[string]serverFacts), make(map[string]string), make(map[string]string), make(map[string]string)}
	client := instance.NewClient(k.h.RunningHub())
	get := func(path string, answer any) {
		k.t.Helper()
		if err := client.Do(k.t.Context(), http.MethodGet, path, nil, answer); err != nil {
			k.t.Fatalf("%s: %v", path, err)
		}
	}
	var servers []operations.Server
	get("/api/servers", &servers)
	for _, s := range servers {
		f.Servers[s.Name] = serverFacts{*s.Command, s.Description, fmt.Sprint(s.Tags), fmt.Sprint(s.Env), s.Approved, s.Disabled}
	}
	var secrets operations.SecretsView
	get("/api/secrets", &secrets)
	for _, s := range secrets.Servers {
		for _, secret := range s.Secrets {
			f.Secrets[s.Server+"/"+secret.Key] = "set"
		}
	}
	k.readValues(f.Secrets, values)
	var toolsets operations.ToolsetList
	get("/api/toolsets", &toolsets)
	for _, s := range toolsets.Toolsets {
		f.Toolsets[s.Name] = ""
		for _, tool := range s.Tools {
			f.Toolsets[s.Name] += tool.Server + "." + tool.Tool + " "
		}
	}
	var config operations.Configuration
	get("/api/config", &config)
	f.readSettings(config)
	return f
}

// readValues puts the values of the secrets of the server keyed into secrets.
func (k *killing) readValues(secrets map[string]string, now bool) {
	k.t.Helper()
	var env []string
	if now {
		env = k.agent.client.Environment("keyed").Env
	}
	for secret := range secrets {
		name, ok := strings.CutPrefix(secret, "keyed/")
		if !ok {
			continue
		}
		if !now && k.facts.Secrets[secret] != "" {
			secrets[secret] = k.facts.Secrets[secret]
		}
		for _, variable := range env {
			if value, ok := strings.CutPrefix(variable, name+"="); ok {
				secrets[secret] = value
			}
		}
	}
}

func (f facts) readSettings(config operations.Configuration) {
	for _, s := range config.Settings {
		switch s.Key {
		case "limits.call_timeout":
			f.Lists[s.Key] = strings.Trim(string(s.Value), `"`)
		case "discovery.tool_rules":
			var rules []struct {
				Pattern []string
				Server  string
			}
			_ = json.Unmarshal(s.Value, &rules) // the hub encodes what it has read
			f.Lists["rules"] = ""
			for _, r := range rules {
				f.Lists["rules"] += strings.Join(r.Pattern, ",") + "@" + r.Server + " "
			}
		}
	}
}
