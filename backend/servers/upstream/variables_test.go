package upstream

import (
	"maps"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

func TestReferencesToVariablesOfTheEnvironmentAreFilledIn(t *testing.T) {
	env := process.Env{"TOOLS=/opt/tools", "TOKEN=battery-staple", "EMPTY=", "AGENT_DISCOVER_TOKEN=hub-token"}
	s := registry.Server{
		Name: "s", Transport: "streamable-http", Command: "${env:TOOLS}/bin/x",
		Args: []string{"--a=${env:TOOLS}:${env:TOOLS}", "${env:NONE:-b}", "${env:EMPTY:-}", "$TOOLS ${TOOLS}", "${secret:TOKEN}"},
		Env:  map[string]string{"K": "<${env:TOKEN}>"}, URL: "https://h/${env:TOKEN}",
		Headers: map[string]string{"Authorization": "Bearer ${env:TOKEN}"},
	}
	got, err := fillVariables(s, s, env)
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Join(append([]string{got.Command}, got.Args...), "|")
	if line != "/opt/tools/bin/x|--a=/opt/tools:/opt/tools|b||$TOOLS ${TOOLS}|${secret:TOKEN}" || got.Env["K"] != "<battery-staple>" ||
		got.URL != "https://h/battery-staple" || got.Headers["Authorization"] != "Bearer battery-staple" {
		t.Errorf("got %s %v %s %v", line, got.Env, got.URL, got.Headers)
	}
	if s.Args[1] != "${env:NONE:-b}" || s.Env["K"] != "<${env:TOKEN}>" {
		t.Errorf("the configuration was changed: %v", s)
	}
}

func TestAServerWhoseVariableIsNotSetIsNotStarted(t *testing.T) {
	for text, name := range map[string]string{
		"${env:NONE}": "NONE", "a${env:EMPTY}b": "EMPTY", "${env:AGENT_DISCOVER_TOKEN}": "AGENT_DISCOVER_TOKEN",
	} {
		s := registry.Server{Name: "s", Env: map[string]string{"K": text}}
		_, err := fillVariables(s, s, process.Env{"EMPTY=", "AGENT_DISCOVER_TOKEN=hub-token"})
		if message := fault.MessageOf(err); fault.KindOf(err) != fault.Invalid ||
			!strings.Contains(message, "env.K refers to the variable "+name) || strings.Contains(message, "hub-token") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestTheVariablesOfAServerComeBeforeThoseOfTheEnvironment(t *testing.T) {
	env := process.Env{"LEVEL=of-shell", "AUTH=of-shell", "PATH=/usr/bin", "PLAIN=of-shell", "OTHER=other"}
	s := registry.Server{
		Name: "s", Transport: "streamable-http", URL: "https://h/${env:LEVEL}", Headers: map[string]string{"Authorization": "${env:AUTH}"},
		Args: []string{"${env:LEVEL}", "--auth=${env:AUTH}", "${env:AUTH:-none}", "${env:VIA}", "${env:OTHER}"},
		Env: map[string]string{
			"LEVEL": "high", "AUTH": "${secret:AUTH}", "PATH": "/opt/bin:${env:PATH}", "VIA": "<${env:AUTH}>", "A": "${env:B:-end}",
			"B": "${env:A:-end}", "EMPTY": "${env:PLAIN}",
		},
	}
	filled := s
	filled.Env = maps.Clone(s.Env)
	filled.Env["AUTH"] = "Bearer tok_example"
	got, err := fillVariables(s, filled, env)
	if err != nil {
		t.Fatal(err)
	}
	if line := strings.Join(got.Args, "|"); line != "high|--auth=${AUTH}|${AUTH:-none}|${VIA}|other" {
		t.Errorf("the arguments are %s", line)
	}
	want := map[string]string{
		"LEVEL": "high", "AUTH": "Bearer tok_example", "PATH": "/opt/bin:/usr/bin", "VIA": "<Bearer tok_example>", "A": "end", "B": "end",
		"EMPTY": "of-shell",
	}
	if !maps.Equal(got.Env, want) || got.URL != "https://h/high" || got.Headers["Authorization"] != "Bearer tok_example" {
		t.Errorf("got %v %s %v", got.Env, got.URL, got.Headers)
	}
}
