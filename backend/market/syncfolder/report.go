package syncfolder

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

// The values of SyncedItem.Action.
const (
	Take     = "take"   // this machine gets the object of the folder
	Drop     = "remove" // this machine removes the object
	Write    = "write"  // the folder gets the object of this machine
	Delete   = "delete" // the folder loses the object
	Combine  = "merge"  // both get the changes of both
	Conflict = "conflict"
	Apart    = "apart" // the object is not synchronized
	Failed   = "failed"
)

// SyncedItem is an object that differs, and what was, or would be, done with it.
type SyncedItem struct {
	Kind    string        `json:"kind" enum:"settings,servers,toolsets,personas,approvals"`
	Name    string        `json:"name"`
	Action  string        `json:"action" enum:"take,remove,write,delete,merge,conflict,apart,failed" doc:"take: this machine gets what the folder has; remove: this machine removes it; write and delete: the folder; merge: both get the changes of both; conflict: a person has to choose a side; apart: it is not synchronized."`
	Why     string        `json:"why,omitempty" doc:"Why it failed, or is not synchronized."`
	New     bool          `json:"new,omitempty" doc:"Whether the side that gets the object has none of this name."`
	Waiting bool          `json:"waiting,omitempty" doc:"Whether it was not done, because it changes this machine, which needs a person."`
	Fields  []SyncedField `json:"fields,omitempty" doc:"The values that differ; of an object that this machine gets, those that change here. Missing if only the folder changes and has no such object, or if an object is removed."`
	Runs    *setup.Runs   `json:"runs,omitempty" doc:"The command that a start of the server would run here; only in a dry run."`
	Sandbox string        `json:"sandbox,omitempty" doc:"Level of the sandbox of the server here."`
	Notes   []string      `json:"notes,omitempty" doc:"Sentences about the remaining steps and about limitations."`
}

// SyncedField is a value that differs between this machine and the folder.
type SyncedField struct {
	Name     string `json:"name" doc:"Its members from outside to inside, joined with dots."`
	Here     string `json:"here,omitempty" doc:"Value on this machine, as text or JSON; missing if there is none."`
	Folder   string `json:"folder,omitempty" doc:"Value in the folder, which this machine gets unless the folder is changed."`
	Conflict bool   `json:"conflict,omitempty" doc:"Whether both sides have changed it."`
}

// Synced says what a synchronization did, or would do in a dry run.
type Synced struct {
	Folder string       `json:"folder" doc:"Path of the folder."`
	Items  []SyncedItem `json:"items" nullable:"false"`
	Hash   string       `json:"hash" doc:"Hash of all changes of this machine. A person sends it with the synchronization, so that only what a dry run has shown is done."`
	DryRun bool         `json:"dry_run"`
}

// item describes a step.
func (s step) item() SyncedItem {
	i := SyncedItem{Kind: s.Kind, Name: s.Name}
	switch {
	case len(s.conflicts) > 0:
		i.Action = Conflict
	case s.here && s.there:
		i.Action = Combine
	case s.here:
		i.Action, i.New = Take, s.mine == nil
		if s.value == nil {
			i.Action = Drop
		}
	default:
		i.Action, i.New = Write, s.theirs == nil
		if s.value == nil {
			i.Action = Delete
		}
	}
	other := s.theirs
	if s.here {
		other = s.value // what this machine gets
	}
	if other == nil || s.mine == nil && !s.here {
		return i
	}
	for _, d := range differences(s.mine, other) {
		i.Fields = append(i.Fields, SyncedField{d.path, jsonText(d.a), jsonText(d.b), slices.Contains(s.conflicts, d.path) ||
			slices.ContainsFunc(s.conflicts, func(path string) bool { return strings.HasPrefix(d.path, path+".") })})
	}
	return i
}

// hash identifies the changes that steps make on this machine, with the paths that other machines propose.
func hash(steps []step, machines map[string]machineFile) string {
	sum := sha256.New()
	for _, s := range steps {
		if s.here {
			_, _ = sum.Write([]byte(s.Key.String() + "\n")) // never fails
			_, _ = sum.Write(s.mine.canonical())
			_, _ = sum.Write(s.value.canonical())
			for _, id := range slices.Sorted(maps.Keys(machines)) {
				proposed, _ := json.Marshal(machines[id].Values[s.Name]) // cannot fail for texts
				_, _ = sum.Write(proposed)
			}
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}
