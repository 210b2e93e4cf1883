package registration

import (
	"encoding/json"
	"slices"

	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// The functions in this file add and remove the setting that some editors need besides the entry, such as
// features.code_mode in Codex. They never change a value that a person has set.

// presentSetting returns the value of the setting called name, and whether it exists in the text.
// ok is false if the text cannot be read.
func presentSetting(text []byte, place configedit.Place, name string) (value any, exists, ok bool) {
	list, err := configedit.Read(text, place)
	if err != nil {
		return nil, false, false
	}
	at := slices.IndexFunc(list, func(e configedit.Entry) bool { return e.Name == name })
	if at < 0 {
		return nil, false, true
	}
	return list[at].Value, true, true
}

// addSetting adds the editor's setting to a plan that changes the entry, unless the file already
// contains a value for it.
func (p *filePlan) addSetting() {
	s := p.found.Setting
	if s == nil || p.effect != editFile || p.file.Scope != userScope {
		return
	}
	keys, name := s.Place()
	place := step{Keys: keys}.place(p.file.Place)
	value, exists, ok := presentSetting(p.text, place, name)
	if !ok {
		return
	}
	put := configedit.Put
	if exists {
		fields, isObject := value.(map[string]any)
		if _, chosen := fields[s.Fields[0].Key]; chosen || !isObject {
			return
		}
		put = configedit.Set
	}
	if _, err := put(p.text, place, name, s.Fields); err != nil {
		return // the entry works without it
	}
	p.apply(step{Name: name, Keys: keys, Was: exists, Is: true}, func(text []byte) (configedit.Change, error) {
		return put(text, place, name, s.Fields)
	})
}

// revertSetting plans to undo the step that added a setting, unless a person has changed the
// setting since.
func (p *filePlan) revertSetting(s step, made configedit.Change) {
	place := s.place(p.file.Place)
	value, exists, ok := presentSetting(p.text, place, s.Name)
	if !ok || !exists || !s.Was && !isSetting(p.found.Setting, value) {
		return
	}
	if _, err := configedit.Revert(p.text, place, s.Name, made); err != nil {
		return
	}
	p.apply(step{Name: s.Name, Keys: s.Keys, Was: true, Is: s.Was}, func(text []byte) (configedit.Change, error) {
		return configedit.Revert(text, place, s.Name, made)
	})
}

// removeSetting plans to remove an editor's setting if it has exactly the value that addSetting
// writes.
func (p *filePlan) removeSetting() {
	if p.found.Setting == nil {
		return
	}
	keys, name := p.found.Setting.Place()
	place := step{Keys: keys}.place(p.file.Place)
	if value, exists, ok := presentSetting(p.text, place, name); ok && exists && isSetting(p.found.Setting, value) {
		p.apply(step{Name: name, Keys: keys, Was: true}, func(text []byte) (configedit.Change, error) {
			return configedit.Remove(text, place, name)
		})
	}
}

// isSetting reports whether a value has the fields of a setting and no others.
func isSetting(s *table.Setting, value any) bool {
	if s == nil {
		return false
	}
	want, _ := json.Marshal(toMap(s.Fields)) // cannot fail: it was parsed from YAML
	got, err := json.Marshal(value)
	return err == nil && string(got) == string(want)
}
