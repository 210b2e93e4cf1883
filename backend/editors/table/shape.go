package table

import (
	"maps"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
)

const (
	stdio = "stdio"
	http  = "streamable-http"
	sse   = "sse"
)

// shape is the format of an editor's entries: the fields for each transport,
// in their order. A transport without fields is not supported.
type shape struct{ stdio, http, sse []part }

// part writes one field of an entry, or none when the server has no value for it.
type part struct {
	holds string // property of a server that the field expresses: dir, disabled, start or call; "" for all other properties
	field func(name string, s Server) configedit.Field
}

// shapes holds all shapes by name. Each has only the fields that an entry needs,
// in the order in which the editor or its documentation writes them.
var shapes = map[string]shape{
	// Most editors: command or url decides the transport.
	"plain": {
		stdio: []part{command("command"), args("args"), env("env"), disabled},
		http:  []part{url("url"), headers("headers"), disabled},
		sse:   []part{is("type", "sse"), url("url"), headers("headers"), disabled},
	},
	// Editors that support only local servers, or for which no other support is
	// known.
	"local": {
		stdio: []part{command("command"), args("args"), env("env")},
	},
	"typed": {
		stdio: []part{is("type", "stdio"), command("command"), args("args"), env("env")},
		http:  []part{is("type", "http"), url("url"), headers("headers")},
		sse:   []part{is("type", "sse"), url("url"), headers("headers")},
	},
	"vscode": {
		stdio: []part{is("type", "stdio"), command("command"), args("args"), env("env"), dir("cwd")},
		http:  []part{is("type", "http"), url("url"), headers("headers")},
		sse:   []part{is("type", "sse"), url("url"), headers("headers")},
	},
	// Like typed, but an entry may have the field disabled: Crush, Factory Droid.
	"switched": {
		stdio: []part{is("type", "stdio"), command("command"), args("args"), env("env"), disabled},
		http:  []part{is("type", "http"), url("url"), headers("headers"), disabled},
		sse:   []part{is("type", "sse"), url("url"), headers("headers"), disabled},
	},
	// Only a remote server has a type: Amazon Q, Augment.
	"remote-typed": {
		stdio: []part{command("command"), args("args"), env("env"), disabled},
		http:  []part{is("type", "http"), url("url"), headers("headers"), disabled},
		sse:   []part{is("type", "sse"), url("url"), headers("headers"), disabled},
	},
	"copilot-cli": {
		stdio: []part{
			is("type", "stdio"), command("command"), args("args"), env("env"),
			is("tools", []string{"*"}), dir("cwd"), milliseconds,
		},
		http: []part{is("type", "http"), url("url"), headers("headers"), is("tools", []string{"*"}), milliseconds},
		sse:  []part{is("type", "sse"), url("url"), headers("headers"), is("tools", []string{"*"}), milliseconds},
	},
	"copilot-ide": {
		stdio: []part{is("type", "stdio"), command("command"), args("args"), env("env")},
		http:  []part{url("url"), headers("requestInit", "headers")},
		sse:   []part{is("type", "sse"), url("url"), headers("requestInit", "headers")},
	},
	"gemini": {
		stdio: []part{command("command"), args("args"), env("env"), dir("cwd"), milliseconds},
		http:  []part{url("httpUrl"), headers("headers"), milliseconds},
		sse:   []part{url("url"), headers("headers"), milliseconds},
	},
	// Antigravity and Cascade detect the remote transport.
	"server-url": {
		stdio: []part{command("command"), args("args"), env("env"), disabled},
		http:  []part{url("serverUrl"), headers("headers"), disabled},
		sse:   []part{url("serverUrl"), headers("headers"), disabled},
	},
	// Devin rejects unknown keys.
	"devin": {
		stdio: []part{command("command"), args("args"), env("env")},
		http:  []part{is("transport", "http"), url("url"), headers("headers")},
		sse:   []part{is("transport", "sse"), url("url"), headers("headers")},
	},
	"cline": {
		stdio: []part{command("command"), args("args"), env("env"), dir("cwd"), disabled, seconds},
		http:  []part{is("type", "streamableHttp"), url("url"), headers("headers"), disabled, seconds},
		sse:   []part{is("type", "sse"), url("url"), headers("headers"), disabled, seconds},
	},
	"roo": {
		stdio: []part{command("command"), args("args"), env("env"), dir("cwd"), disabled, seconds},
		http:  []part{is("type", "streamable-http"), url("url"), headers("headers"), disabled, seconds},
		sse:   []part{is("type", "sse"), url("url"), headers("headers"), disabled, seconds},
	},
	"opencode": {
		stdio: []part{is("type", "local"), commandLine("command"), env("environment"), enabled, dir("cwd"), startMilliseconds},
		http:  []part{is("type", "remote"), url("url"), headers("headers"), enabled, startMilliseconds},
		sse:   []part{is("type", "remote"), url("url"), headers("headers"), enabled, startMilliseconds},
	},
	"goose": {
		stdio: []part{
			named, is("type", "stdio"), enabled, command("cmd"), args("args"), env("envs"),
			gooseTimeout, is("description", ""),
		},
		http: []part{
			named, is("type", "streamable_http"), enabled, url("uri"), headers("headers"),
			gooseTimeout, is("description", ""),
		},
	},
	"continue": {
		stdio: []part{named, is("type", "stdio"), command("command"), args("args"), env("env"), dir("cwd"), connectionTimeout},
		http:  []part{named, is("type", "streamable-http"), url("url"), headers("requestOptions", "headers"), connectionTimeout},
		sse:   []part{named, is("type", "sse"), url("url"), headers("requestOptions", "headers"), connectionTimeout},
	},
	"vibe": {
		stdio: []part{named, is("transport", "stdio"), command("command"), args("args"), env("env"), startupSec, toolSec},
		http:  []part{named, is("transport", "streamable-http"), url("url"), headers("headers"), startupSec, toolSec},
	},
	"codex": {
		stdio: []part{command("command"), args("args"), env("env"), dir("cwd"), enabledNo, startupSec, toolSec},
		http:  []part{url("url"), headers("http_headers"), enabledNo, startupSec, toolSec},
	},
	"zed": {
		stdio: []part{command("command"), args("args"), env("env"), enabledNo},
		http:  []part{url("url"), headers("headers"), enabledNo},
	},
	"warp": {
		stdio: []part{command("command"), args("args"), env("env"), dir("working_directory")},
		http:  []part{url("url"), headers("headers")},
		sse:   []part{url("url"), headers("headers")},
	},
	"anythingllm": {
		stdio: []part{command("command"), args("args"), env("env")},
		http:  []part{is("type", "streamable"), url("url"), headers("headers")},
		sse:   []part{is("type", "sse"), url("url"), headers("headers")},
	},
	"sema4": {
		stdio: []part{is("transport", "stdio"), command("command"), args("args"), env("env")},
	},
	"fx": {
		stdio: []part{is("type", "local"), commandLine("command"), env("environment"), enabled},
		http:  []part{is("type", "http"), url("url"), headers("headers"), enabled},
	},
	"grok": {
		stdio: []part{command("command"), args("args"), env("env"), enabledNo},
		http:  []part{url("url"), headers("headers"), enabledNo},
		sse:   []part{url("url"), is("type", "sse"), headers("headers"), enabledNo},
	},
	// Jan requires a command and arguments in every entry.
	"jan": {
		stdio: []part{command("command"), args("args"), env("env"), active},
		http:  []part{is("type", "http"), url("url"), headers("headers"), is("command", ""), is("args", []string{}), active},
		sse:   []part{is("type", "sse"), url("url"), headers("headers"), is("command", ""), is("args", []string{}), active},
	},
	"librechat": {
		stdio: []part{is("type", "stdio"), command("command"), args("args"), env("env"), milliseconds, initTimeout},
		http:  []part{is("type", "streamable-http"), url("url"), headers("headers"), milliseconds, initTimeout},
		sse:   []part{is("type", "sse"), url("url"), headers("headers"), milliseconds, initTimeout},
	},
	// The list of the Augment extension, whose commands are whole command lines. Spell does not support it.
	"augment-list": {},
}

func field(key string, value func(Server) any) part {
	return part{field: func(_ string, s Server) configedit.Field { return configedit.Field{Key: key, Value: value(s)} }}
}

func is(key string, value any) part { return field(key, func(Server) any { return value }) }

func command(key string) part { return field(key, func(s Server) any { return s.Command }) }

// args writes the key even without arguments: some editors require it.
func args(key string) part {
	return field(key, func(s Server) any { return slices.Concat([]string{}, s.Args) })
}

func commandLine(key string) part {
	return field(key, func(s Server) any { return slices.Concat([]string{s.Command}, s.Args) })
}

func url(key string) part { return field(key, func(s Server) any { return s.URL }) }

func env(key string) part {
	return part{field: func(_ string, s Server) configedit.Field { return sorted(key, s.Env) }}
}

// headers writes the headers under a path of one or two keys.
func headers(keys ...string) part {
	return part{field: func(_ string, s Server) configedit.Field {
		f := sorted(keys[len(keys)-1], s.Headers)
		if f.Key == "" || len(keys) == 1 {
			return f
		}
		return configedit.Field{Key: keys[0], Value: configedit.Object{f}}
	}}
}

// gooseTimeout is always written: Goose has a short default timeout.
var gooseTimeout = part{holds: "call", field: func(_ string, s Server) configedit.Field {
	if f := seconds.field("", s); f.Key != "" {
		return f
	}
	return configedit.Field{Key: "timeout", Value: 300}
}}

func dir(key string) part {
	return part{holds: "dir", field: func(_ string, s Server) configedit.Field {
		if s.Dir == "" {
			return configedit.Field{}
		}
		return configedit.Field{Key: key, Value: s.Dir}
	}}
}

var (
	named = part{field: func(name string, _ Server) configedit.Field { return configedit.Field{Key: "name", Value: name} }}
	// enabled and active are always written, disabled and enabledNo only for a disabled server.
	enabled = part{holds: "disabled", field: func(_ string, s Server) configedit.Field {
		return configedit.Field{Key: "enabled", Value: !s.Disabled}
	}}
	active = part{holds: "disabled", field: func(_ string, s Server) configedit.Field {
		return configedit.Field{Key: "active", Value: !s.Disabled}
	}}
	disabled  = off("disabled", true)
	enabledNo = off("enabled", false)
)

func off(key string, value bool) part {
	return part{holds: "disabled", field: func(_ string, s Server) configedit.Field {
		if !s.Disabled {
			return configedit.Field{}
		}
		return configedit.Field{Key: key, Value: value}
	}}
}

func sorted(key string, values map[string]string) configedit.Field {
	if len(values) == 0 {
		return configedit.Field{}
	}
	object := make(configedit.Object, 0, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		object = append(object, configedit.Field{Key: name, Value: values[name]})
	}
	return configedit.Field{Key: key, Value: object}
}

// Spell returns the entry for a server in a shape, with the fields in the
// editor's order. The error is a fault.Invalid that names what the shape
// cannot express. LeftOut returns the time limits that it leaves out.
func Spell(shape, name string, s Server) (configedit.Object, error) {
	parts, err := partsOf(shape, s.Transport)
	if err != nil {
		return nil, err
	}
	holds := func(what string) bool {
		return slices.ContainsFunc(parts, func(p part) bool { return p.holds == what })
	}
	if s.Dir != "" && !holds("dir") {
		return nil, fault.New(fault.Invalid, "this editor does not support a working folder")
	}
	if s.Disabled && !holds("disabled") {
		return nil, fault.New(fault.Invalid, "this editor does not support disabled servers")
	}
	var object configedit.Object
	for _, p := range parts {
		if f := p.field(name, s); f.Key != "" {
			object = append(object, f)
		}
	}
	return append(object, s.More...), nil
}

func partsOf(name, transport string) ([]part, error) {
	one, ok := shapes[name]
	if !ok {
		return nil, fault.New(fault.Invalid, "unknown shape %q", name)
	}
	switch {
	case transport == stdio && one.stdio != nil:
		return one.stdio, nil
	case transport == http && one.http != nil:
		return one.http, nil
	case transport == sse && one.sse != nil:
		return one.sse, nil
	case transport == sse && one.http != nil:
		return nil, fault.New(fault.Invalid, "this editor does not support SSE servers, only streamable HTTP")
	case transport == http || transport == sse:
		return nil, fault.New(fault.Invalid, "this editor supports only local servers")
	case transport == stdio:
		return nil, fault.New(fault.Invalid, "this editor's servers can be read but not written")
	}
	return nil, fault.New(fault.Invalid, "unknown transport %q; use stdio, streamable-http or sse", transport)
}
