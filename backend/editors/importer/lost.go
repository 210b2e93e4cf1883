package importer

import (
	"maps"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// understood are the fields of an entry that are imported, or that do not affect how the server
// runs.
var understood = setOf(
	"command", "cmd", "args", "arguments", "env", "envs", "environment", "env_vars", "url", "httpUrl", "http_url", "serverUrl", "uri",
	"headers", "http_headers", "env_http_headers", "bearer_token_env_var", "api_key_env", "requestInit", "requestOptions",
	"type", "transport", "transportType", "disabled", "enabled", "isActive", "cwd", "working_directory", "workingDirectory",
	"name", "id", "description", "icon", "tags", "secrets", "source", "bundled", "gallery", "version", "title", "author", "provider",
	"logoUrl", "homepage",
	"settings", "start_on_launch", "available_tools", "dev", "required", "custom_instructions", "config_source", "anythingllm",
	"useShellInterpolation",
	"package", "repository", "keep_running", "active", "warm", "autoStart", "$schema",
)

func setOf(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// loss describes a field that Agent Discover does not support.
type loss struct {
	text   string // warning, with %s in place of the name of the field
	blocks bool   // the server would run differently without the field, so --take-out keeps its entry in the editor
}

var (
	lostTools = loss{"its choice of tools (%s) is left out: agents can use all of its tools", true}
	lostTime  = loss{"its time limit (%s) is left out: it is not a time; set one on the page of the server", false}
	lostTrust = loss{"its approvals (%s) are left out: the editor's own rules apply to the tools of Agent Discover", false}
	lostLogin = loss{"its sign-in (%s) is left out: set its token as a secret", true}
	lostBox   = loss{"its restrictions (%s) are left out: it runs with all of your permissions", true}
)

// losses describes the fields that known clients support and that Agent Discover cannot import.
var losses = map[string]loss{
	"envFile": lostFile, "env_file": lostFile,
	"env_keys":     {"its variables in the editor's keychain (%s) are left out: set them as secrets", true},
	"includeTools": lostTools, "excludeTools": lostTools, "disabledTools": lostTools, "disabled_tools": lostTools,
	"enabledTools": lostTools, "enabled_tools": lostTools, "tools": lostTools, "toolFilter": lostTools, "allowedTools": lostTools,
	"blockedTools": lostTools, "disallowedTools": lostTools, "timeout": lostTime, "timeoutMs": lostTime, "startup_timeout_sec": lostTime,
	"startup_timeout_ms": lostTime, "tool_timeout_sec": lostTime, "connectTimeout": lostTime, "timeoutSec": lostTime,
	"initTimeout": lostTime, "requestTimeout": lostTime, "connectionTimeout": lostTime, "longRunning": lostTime, "alwaysAllow": lostTrust,
	"autoApprove": lostTrust, "auto_approve": lostTrust, "trust": lostTrust, "autoApproveTools": lostTrust,
	"default_tools_approval_mode": lostTrust, "always_allow": lostTrust, "oauth": lostLogin, "auth": lostLogin,
	"authProviderType": lostLogin, "scopes": lostLogin, "oauth_resource": lostLogin, "clientId": lostLogin, "targetAudience": lostLogin,
	"targetServiceAccount": lostLogin, "sandbox": lostBox, "sandboxEnabled": lostBox, "sandbox_policy": lostBox,
}

var lostFile = loss{"its file of variables (%s) is not read: add the variables that the server needs", true}

// nameLosses takes the time limits of an entry, and adds a warning for each field of an entry that is not imported. It shows no values,
// because any value may be a credential.
func (o *occurrence) nameLosses(entry any) {
	fields, ok := entry.(map[string]any)
	if !ok || o.problem != "" {
		return
	}
	tools, _ := fields["tools"].([]any)
	everyTool := len(tools) == 1 && tools[0] == "*"
	var limits []string
	o.server.Timeouts, limits = table.Limits(o.file.Shape, fields)
	byText := make(map[loss][]string)
	other := []string{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		lost, known := losses[name]
		switch {
		case understood[name] || slices.Contains(limits, name) || without(fields[name]) || name == "tools" && everyTool:
		case known:
			byText[lost] = append(byText[lost], shown(name))
		default:
			other = append(other, "“"+shown(name)+"”")
		}
	}
	for _, lost := range slices.SortedFunc(maps.Keys(byText), func(a, b loss) int { return strings.Compare(a.text, b.text) }) {
		tell := o.warn
		if lost.blocks {
			tell = o.block
		}
		tell(lost.text, strings.Join(byText[lost], ", "))
	}
	if len(other) > 0 {
		o.warn("Agent Discover has no setting for %s, which is left out", strings.Join(other[:min(len(other), 8)], ", "))
	}
}

// without reports whether a value is null, false or empty, which means the same as an unset field.
func without(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}
