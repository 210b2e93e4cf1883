package operations

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
)

// Config holds the operations on the settings file.
type Config struct {
	File string
	Live *settings.Live
	Edit settings.Editor
	// Change writes one value to the file and reads the file again.
	Change func(keys []string, value any) (changed []string, err error)
}

// Routes adds the operations with their handlers to a route table.
func (c *Config) Routes(t *route.Table) {
	g := t.Group("hub")
	route.Add(g, route.Get("/api/config", "Retrieve the settings that apply, and the problems of the settings file"), c.get)
	route.Add(g, route.Post("/api/config/reload",
		"Read the settings file again; if the file is invalid, the settings stay as they are"), c.reload)
	route.Add(g, route.Post("/api/config/rules",
		"Append a rule for tools to the settings file, whose comments are kept; only a person may do this"), c.addRule)
	route.Add(g, route.Post("/api/config/rules/remove",
		"Remove a rule for tools from the settings file, whose comments are kept; only a person may do this"), c.removeRule)
	route.Add(g, route.Put("/api/config",
		"Write one setting to the settings file, whose comments are kept; only a person may do this"), c.set)
}

// Configuration holds the settings that apply and the problems of the settings file.
type Configuration struct {
	File     string          `json:"file" doc:"Path of the settings file, which need not exist."`
	Settings []Setting       `json:"settings" nullable:"false" doc:"All settings: first those that can only be edited in the file, then the others by group, in the order in which the settings page shows the groups."`
	Problems []ConfigProblem `json:"problems" nullable:"false" doc:"Problems of the current content of the file. If there are any, the settings are those of an earlier version of the file."`
	Restart  []string        `json:"restart" nullable:"false" doc:"Keys of settings that have changed in the file, but whose new values the hub uses only after a restart."`
}

// Setting is one setting with its value.
type Setting struct {
	Key      string          `json:"key"`
	Value    json.RawMessage `json:"value" doc:"Text, number, true, false, or a list. Of fixed arguments of tools, only the names are returned, because the values may be secrets."`
	Origin   settings.Origin `json:"origin" enum:"default,file,environment" doc:"Where the value comes from."`
	Group    string          `json:"group,omitempty" doc:"Heading under which the settings page shows the setting; missing if the setting can only be edited in the file."`
	Label    string          `json:"label,omitempty" doc:"Name of the setting on the settings page."`
	Help     string          `json:"help" doc:"What the setting does, for people. The wording may change."`
	Choices  []string        `json:"choices,omitempty" doc:"The values that the setting can have; missing if the setting is not limited to a list of values."`
	Variable string          `json:"variable,omitempty" doc:"Environment variable that overrides the value in the file."`
	Restart  bool            `json:"restart" doc:"Whether a change of the setting takes effect only after a restart of the hub."`
}

// ConfigProblem describes an error in one setting.
type ConfigProblem struct {
	Line    int    `json:"line" doc:"Line in the file, from 1; 0 if the setting does not come from the file."`
	Column  int    `json:"column" doc:"Column in the file, from 1; 0 if the setting does not come from the file."`
	Key     string `json:"key" doc:"Key of the setting that has the problem; may be empty."`
	Message string `json:"message" doc:"What is wrong, for people. The wording may change."`
}

// NewConfiguration returns the API's view of settings.
func NewConfiguration(file string, state *settings.State) Configuration {
	c := Configuration{
		File: file, Settings: []Setting{}, Problems: ConfigProblems(state.Problems), Restart: append([]string{}, state.Restart...),
	}
	values := state.Settings.Values()
	rows := slices.Clone(settings.Table)
	slices.SortStableFunc(rows, func(a, b settings.Row) int {
		return cmp.Compare(slices.Index(settings.Groups, a.Group), slices.Index(settings.Groups, b.Group))
	})
	for _, row := range rows {
		value, _ := json.Marshal(values[row.Key]) // cannot fail: the values come from a file
		c.Settings = append(c.Settings, Setting{
			row.Key, value, state.Settings.OriginOf(row.Key), row.Group, row.Label, row.Help, row.Choices, row.Variable(), !row.Live,
		})
	}
	return c
}

// ConfigProblems returns the API's view of problems, never nil.
func ConfigProblems(problems []settings.Problem) []ConfigProblem {
	out := []ConfigProblem{}
	for _, p := range problems {
		out = append(out, ConfigProblem{p.Line, p.Column, p.Key, p.Text})
	}
	return out
}

func (c *Config) get(context.Context, *struct{}) (*route.Reply[Configuration], error) {
	return route.OK(NewConfiguration(c.File, c.Live.State()))
}

// ReloadedConfig is the outcome of a reload.
type ReloadedConfig struct {
	Changed []string `json:"changed" nullable:"false" doc:"Keys of the settings that have changed since the file was last read."`
	Restart []string `json:"restart" nullable:"false" doc:"Keys of settings that have changed in the file, but whose new values the hub uses only after a restart."`
}

func (c *Config) reload(context.Context, *struct{}) (*route.Reply[ReloadedConfig], error) {
	return c.reloaded(c.Live.Reload())
}

func (c *Config) reloaded(changed []string, err error) (*route.Reply[ReloadedConfig], error) {
	return reply(ReloadedConfig{append([]string{}, changed...), append([]string{}, c.Live.State().Restart...)}, err)
}

type configFields struct {
	Key   string          `json:"key" doc:"Key of the setting, such as limits.call_timeout."`
	Value json.RawMessage `json:"value" doc:"Text, number, true or false. Settings whose value is a list can only be edited in the file."`
}

type configInput struct{ route.Object[configFields] }

func (c *Config) set(ctx context.Context, in *configInput) (*route.Reply[ReloadedConfig], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if err := guard.RequirePerson(ctx, "only a person can change settings; use the dashboard, or edit %s", c.File); err != nil {
		return nil, err
	}
	value, err := scalarOf(body.Value)
	if err != nil {
		return nil, err
	}
	return c.reloaded(c.Change(strings.Split(body.Key, "."), value))
}

type ruleFields struct {
	Rule json.RawMessage `json:"rule" doc:"Object with pattern, server, enabled and tags, as in discovery.tool_rules of the settings file."`
	At   int             `json:"at,omitempty" minimum:"0" doc:"Index of the rule to remove."`
}

type ruleInput struct{ route.Object[ruleFields] }

func (c *Config) addRule(ctx context.Context, in *ruleInput) (*route.Reply[ReloadedConfig], error) {
	return c.editRule(ctx, in, func(_ int, rule settings.ToolRule) error { return c.Edit.AddToolRule(c.File, rule) })
}

func (c *Config) removeRule(ctx context.Context, in *ruleInput) (*route.Reply[ReloadedConfig], error) {
	return c.editRule(ctx, in, func(at int, rule settings.ToolRule) error { return c.Edit.RemoveToolRule(c.File, at, rule) })
}

func (c *Config) editRule(ctx context.Context, in *ruleInput,
	edit func(at int, rule settings.ToolRule) error,
) (*route.Reply[ReloadedConfig], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if err := guard.RequirePerson(ctx, "only a person can change settings; use the dashboard, or edit %s", c.File); err != nil {
		return nil, err
	}
	if len(body.Rule) == 0 {
		return nil, fault.New(fault.Invalid, "rule is required")
	}
	rule, err := settings.ParseToolRule(body.Rule)
	if err != nil {
		return nil, err
	}
	return c.reloaded(c.Live.Change(func() error { return edit(body.At, rule) }))
}

// scalarOf decodes a JSON string, number, true or false. It returns a whole number as an int.
func scalarOf(raw json.RawMessage) (any, error) {
	var value any
	if json.Unmarshal(raw, &value) == nil {
		switch v := value.(type) {
		case string, bool:
			return v, nil
		case float64:
			if whole := int(v); float64(whole) == v {
				return whole, nil
			}
			return v, nil
		}
	}
	return nil, fault.New(fault.Invalid, "value must be a text, a number, true or false; edit lists in the file")
}
