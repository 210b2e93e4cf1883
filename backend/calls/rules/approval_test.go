package rules

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

func TestRulesAndDestructionDecideWhichCallsWait(t *testing.T) {
	in := office(t)
	asks := func(p *Policy) (out []string) {
		for _, tool := range in.Tools {
			if p.Asks(tool, in) {
				out = append(out, tool.Name)
			}
		}
		return out
	}
	for section, want := range map[string]string{
		"  enabled: true\n":                                       "[]",
		"  approval: {destructive: true}\n":                       "[delete_file delete_repo]",
		"  approval: {rules: [{pattern: 'send_*', ask: true}]}\n": "[send_mail]",
		"  enabled: false\n  approval: {destructive: true, rules: [{server: github, ask: false}, {pattern: ['*_repo', 'write_*'], ask: " +
			"true}]}\n": "[delete_file write_file]",
	} {
		if got := fmt.Sprint(asks(configured(t, section))); got != want {
			t.Errorf("%s: got %s, want %s", section, got, want)
		}
	}
}

// memory is a Store that a test can break.
type memory struct {
	kept  map[catalog.Key]string
	wrong error
}

func (m *memory) ToolApprovals(context.Context) (out []Approval, err error) {
	for key, hash := range m.kept {
		out = append(out, Approval{Tool: key, Hash: hash})
	}
	return out, m.wrong
}

func (m *memory) SaveToolApproval(_ context.Context, a Approval) error {
	if m.wrong == nil {
		m.kept[a.Tool] = a.Hash
	}
	return m.wrong
}

func (m *memory) DeleteToolApproval(_ context.Context, key catalog.Key) error {
	if m.wrong == nil {
		delete(m.kept, key)
	}
	return m.wrong
}

func TestApprovalsHoldForACallASessionOrAlways(t *testing.T) {
	ctx, in := t.Context(), office(t)
	tool := in.Of("github")[1]
	store := &memory{kept: make(map[catalog.Key]string)}
	open := func() *Approvals {
		a, err := OpenApprovals(ctx, store)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := open()
	approve := func(session string, scope Scope) {
		t.Helper()
		if err := a.Approve(ctx, session, tool, scope); err != nil {
			t.Fatal(err)
		}
	}
	if approve("s", Once); a.Has("s", tool) {
		t.Error("an approval of one call holds for the next")
	}
	if approve("s", Session); !a.Has("s", tool) || a.Has("other", tool) || a.Has("", tool) || a.Has("s", in.Of("github")[0]) {
		t.Error("an approval of a session holds elsewhere, or not there")
	}
	if approve("", Session); a.Has("", tool) {
		t.Error("an approval for the session of a call without one holds for all such calls")
	}
	if a.End("s"); a.Has("s", tool) {
		t.Error("an approval outlives its session")
	}
	approve("s", Session)
	approve("s", Always)
	changed := *tool
	changed.Hash = "other"
	if a = open(); !a.Has("other", tool) || a.Has("s", &changed) || len(a.All()) != 1 {
		t.Error("an approval is lost with a restart, or holds for a changed tool")
	}
	approve("s", Session)
	if err := a.Revoke(ctx, tool.Key()); err != nil || a.Has("s", tool) || len(a.All()) != 0 || len(store.kept) != 0 {
		t.Errorf("a revoked approval holds, %v", err)
	}
	approve("s", Always)
	if err := a.Forget(ctx, "other"); err != nil || !a.Has("s", tool) {
		t.Errorf("a removed server takes approvals of another one with it, %v", err)
	}
	approve("s", Session)
	if err := a.Forget(ctx, "github"); err != nil || a.Has("s", tool) || len(store.kept) != 0 {
		t.Errorf("an approval outlives its server, %v", err)
	}
	store.wrong = errors.New("disk full")
	if err := a.Approve(ctx, "s", tool, Always); err == nil || a.Has("s", tool) {
		t.Error("an approval that was not saved holds")
	}
}
