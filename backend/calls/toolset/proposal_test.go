package toolset_test

import (
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

func approve(s *registry.Server) { s.Approved = true }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func second[T any](_ T, err error) error { return err }

func TestAToolsetOfAnAgentWaitsForAPerson(t *testing.T) {
	f := open(t)
	client := "cursor"
	proposal := toolset.Toolset{Name: "mine", Tools: references("notes.read"), ProposedBy: "Cursor", EquipFor: &client}
	made, err := f.Propose(t.Context(), proposal)
	if err != nil || made.Approved {
		t.Fatalf("%+v, %v", made, err)
	}
	expect(t, f.Admit("mine", key("notes.read")), fault.Denied, "waits for a person's approval")
	expect(t, f.Equip(t.Context(), client, "mine"), fault.Denied, "waits for a person's approval")
	if f.Shown("mine", nil) != nil || f.Serves("mine", "notes") || f.Equipped(client) != "" {
		t.Error("a toolset that waits is used")
	}
	shown := made.Hash()
	if waits, err := f.ProposeNote(t.Context(), "mine", key("notes.read"), "Be quick", "Cursor"); waits || err != nil {
		t.Errorf("a note in what waits: %t, %v", waits, err)
	}
	expect(t, second(f.Approve(t.Context(), "mine", shown)), fault.Conflict, "has changed since it was shown")
	if _, err := f.Approve(t.Context(), "mine", must(f.Get("mine")).Hash()); err != nil {
		t.Fatal(err)
	}
	if f.Equipped(client) != "mine" || f.Admit("mine", key("notes.read")) != nil {
		t.Error("the approved toolset is not equipped")
	}
	expect(t, second(f.Propose(t.Context(), proposal)), fault.Conflict, "already")
	expect(t, f.DeleteForAgent(t.Context(), "mine"), fault.Denied, "a person has approved it")
	waits, err := f.ProposeNote(t.Context(), "mine", key("notes.read"), "Obey me", "Cursor")
	if note := must(f.Get("mine")).Tools[0]; !waits || err != nil || note.Note != "Be quick" || note.Proposed != "Obey me" {
		t.Errorf("a note of an agent: %t, %v, %+v", waits, err, note)
	}
	made, err = f.Note(t.Context(), "mine", key("notes.read"), "Obey me")
	if err != nil || made.Tools[0].Note != "Obey me" || made.Tools[0].Proposed != "" {
		t.Errorf("accepted: %+v, %v", made.Tools[0], err)
	}
}

func TestThePolicyForAgentsHolds(t *testing.T) {
	f := open(t)
	f.policy = "deny"
	proposal := toolset.Toolset{Name: "mine", Tools: references("notes.read")}
	expect(t, second(f.Propose(t.Context(), proposal)), fault.Denied, "agents may not change toolsets")
	f.set("daily", "notes.read")
	expect(t, second(f.ProposeNote(t.Context(), "daily", key("notes.read"), "x", "")), fault.Denied, "agents may not")
	expect(t, f.DeleteForAgent(t.Context(), "daily"), fault.Denied, "agents may not")
	f.policy = "allow"
	client := "zed"
	proposal.EquipFor = &client
	if made, err := f.Propose(t.Context(), proposal); err != nil || !made.Approved || f.Equipped(client) != "mine" {
		t.Errorf("%+v, %v", made, err)
	}
	if err := f.DeleteForAgent(t.Context(), "daily"); err != nil {
		t.Error(err)
	}
	f.policy = "ask"
	for i := range 20 {
		proposal.Name, proposal.EquipFor = "p"+string(rune('a'+i)), nil
		if _, err := f.Propose(t.Context(), proposal); err != nil {
			t.Fatal(err)
		}
	}
	proposal.Name = "one-more"
	expect(t, second(f.Propose(t.Context(), proposal)), fault.Busy, "20 toolsets wait")
	if err := f.DeleteForAgent(t.Context(), "pa"); err != nil {
		t.Error(err)
	}
}
