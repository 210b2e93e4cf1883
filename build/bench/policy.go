package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// Targets for rules for manyTools tools.
const (
	targetDecision = 2   // µs
	targetView     = 5   // ms
	targetReload   = 100 // ms, with manyRules rules
	manyRules      = 200
)

// companyRules are rules such as a company might have.
const companyRules = `discovery:
  tool_rules:
    - {pattern: ["*delete*", "*destroy*", '/\b(drop|purge|wipe)\b/i', "!*draft*"], enabled: false, tags: [destructive]}
    - {server: server3-0, enabled: false}
    - {pattern: ['/^(get|list|read|search|find)_/i', "describe_*"], enabled: true, tags: [reads]}
    - {pattern: ["create_*", "update_?*", "!*admin*"], enabled: true, tags: [writes]}
    - {server: server5-0, pattern: "*", enabled: true}
    - {pattern: '/(issue|pull_request|branch)s?$/', tags: [code]}
    - {pattern: ["*mail*", "*message*"], tags: [communication]}
    - {pattern: ["[a-c]*_file", "*_folder"], enabled: true, tags: [disk]}
  clients:
    - {client: cursor, deny: ["*admin*"]}
`

// policy measures decisions about tools, and the reload of the settings.
func (b *bench) policy(context.Context) error {
	servers, err := b.manyServers()
	if err != nil {
		return err
	}
	tools := slices.Concat(servers...)
	file := filepath.Join(b.scratch, "config.yaml")
	if err := os.WriteFile(file, []byte(companyRules), 0o600); err != nil {
		return err
	}
	live, err := settings.Open(file, new(events.Bus), slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	var current rules.Current
	apply := func(s settings.Settings) { current.Set(rules.New(rules.Options{Discovery: s.Discovery})) }
	live.Apply(apply, "discovery")
	apply(live.State().Settings)
	if err := b.decide(live.State().Settings.Discovery, tools); err != nil {
		return err
	}
	return b.report.addReload(live, file, b.pick(5, 20))
}

func (b *bench) decide(config settings.Discovery, tools []*catalog.Tool) error {
	var decisions, views []float64
	snapshot := new(catalog.Snapshot).With(tools)
	enabled := 0
	for range b.pick(5, 30) {
		p := rules.New(rules.Options{Discovery: config}) // created anew, because a Policy caches its last view
		began := time.Now()
		for _, t := range tools {
			p.Decide(t.Server, t.Name)
		}
		decisions = append(decisions, ms(time.Since(began))*1000/float64(len(tools)))
		began = time.Now()
		enabled = len(p.View("cursor", snapshot).Allowed(tools))
		views = append(views, ms(time.Since(began)))
	}
	if enabled == 0 || enabled == len(tools) {
		return errors.New("the rules decide nothing")
	}
	b.report.addTimes("rules: a decision about a tool, with its tags", decisions, "µs", targetDecision)
	b.report.addTimes(fmt.Sprintf("rules: the list of %d tools for a client (%d of them enabled)", len(tools), enabled), views, "ms",
		targetView)
	return nil
}

// addReload measures a reload of the settings file, up to the point where the new rules apply.
func (r *report) addReload(live *settings.Live, file string, rounds int) error {
	var took []float64
	for round := range rounds {
		var text strings.Builder
		text.WriteString("discovery:\n  tool_rules:\n")
		for i := range manyRules {
			fmt.Fprintf(&text,
				"    - {pattern: [\"*tool%d_%d*\", '/\\b(get|list)_%d\\b/i', \"!x%d\"], server: server%d, enabled: false, tags: [t%d]}\n",
				i, round, i, i, i, i)
		}
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			return err
		}
		began := time.Now()
		changed, err := live.Reload()
		if err != nil {
			return err
		}
		if len(changed) == 0 {
			return errors.New("the reload changed nothing")
		}
		took = append(took, ms(time.Since(began)))
	}
	r.addTimes(fmt.Sprintf("settings: reload with %d rules", manyRules), took, "ms", targetReload)
	return nil
}
