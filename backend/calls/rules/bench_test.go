package rules

import (
	"encoding/json"
	"fmt"
	"testing"
)

// production is a discovery section as a company might have it.
const production = `
  tool_rules:
    - {pattern: ["*delete*", "*destroy*", '/\b(drop|purge|wipe)\b/i', "!*draft*"], enabled: false, tags: [destructive]}
    - {server: server-3, enabled: false}
    - {pattern: ['/^(get|list|read|search|find)_/i', "describe_*"], enabled: true, tags: [reads]}
    - {pattern: ["create_*", "update_?*", "!*admin*"], enabled: true, tags: [writes]}
    - {server: server-7, pattern: "*", enabled: true}
    - {pattern: '/(issue|pull_request|branch)s?$/', tags: [code]}
    - {pattern: ["*mail*", "*message*"], tags: [communication]}
    - {pattern: ["[a-c]*_file", "*_folder"], enabled: true, tags: [disk]}
`

func BenchmarkDecide(b *testing.B) {
	p := configured(b, production)
	tools := []string{
		"get_issue", "delete_draft", "send_message_to_channel", "purge_all", "update_admin_settings", "something_else_entirely",
	}
	for b.Loop() {
		for _, tool := range tools {
			p.Decide("server-1", tool)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(tools)), "ns/decision")
}

func BenchmarkViewOfTenThousandTools(b *testing.B) {
	p := configured(b, production)
	verbs := []string{"get", "list", "create", "update", "delete", "send", "describe", "purge"}
	nouns := []string{"issue", "pull_request", "mail", "message", "file", "folder", "admin_user", "draft", "branch", "calendar_event"}
	servers := make(map[string][]json.RawMessage)
	for s := range 100 {
		var of []string
		for i := range 100 {
			of = append(of, fmt.Sprintf("%s_%s_%d", verbs[i%len(verbs)], nouns[i/10], i))
		}
		servers[fmt.Sprintf("server-%d", s)] = named(of...)
	}
	in := snapshot(b, servers)
	for b.Loop() {
		p.views = nil
		if got := len(usable(p, "", in)); got == 0 || got == len(in.Tools) {
			b.Fatal(got)
		}
	}
}
