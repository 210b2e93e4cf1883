package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// Targets for changes to the files of editors.
const (
	manyEditors    = 25
	targetRegister = 500 // ms for manyEditors
	targetDetect   = 200 // ms for all known editors
)

// editors measures how long it takes to detect editors, and to add the entry to the files of many editors and undo that.
func (b *bench) editors(ctx context.Context) (err error) {
	home := filepath.Join(b.scratch, "home of editors")
	env, err := plainHome(home)
	if err != nil {
		return err
	}
	h, err := b.startHub(ctx, b.binary, "editors", env...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.stop(ctx)) }()
	var list operations.EditorList
	look := func() error { return h.api.Do(ctx, http.MethodGet, "/api/editors?all=true", nil, &list) }
	if err := look(); err != nil {
		return err
	}
	known := len(list.Editors)
	rounds := &editorRounds{hub: h}
	if err := rounds.plant(home, list); err != nil {
		return err
	}
	looks, err := repeat(b.pick(10, 100), look)
	if err != nil {
		return err
	}
	times := make([]float64, len(looks))
	for i, t := range looks {
		times[i] = ms(t)
	}
	b.report.addTimes(fmt.Sprintf("GET /api/editors, %d known, %d detected", known, manyEditors), times, "ms", targetDetect)
	for range b.pick(3, 20) {
		if err := rounds.round(ctx); err != nil {
			return err
		}
	}
	b.report.addTimes(fmt.Sprintf("preview of %d editors", manyEditors), rounds.previews, "ms", 0)
	b.report.addTimes(fmt.Sprintf("registering %d editors", manyEditors), rounds.registers, "ms", targetRegister)
	b.report.addTimes(fmt.Sprintf("undo in %d editors", manyEditors), rounds.undos, "ms", 0)
	return nil
}

// plainHome creates a home folder without editors and returns an environment for it. In that environment no variable
// changes the path of an editor's file, and the PATH contains no editor.
func plainHome(home string) ([]string, error) {
	programs := filepath.Join(home, "programs")
	if err := os.MkdirAll(programs, 0o755); err != nil {
		return nil, err
	}
	env := []string{"HOME=" + home, "SHELL=/bin/sh", "PATH=" + programs}
	for _, name := range table.Overrides() {
		env = append(env, name+"=")
	}
	return env, os.WriteFile(filepath.Join(home, ".profile"), []byte("PATH='"+programs+"'\nexport PATH\n"), 0o600)
}

// editorRounds measures rounds of adding the Agent Discover entry to the files of many editors and undoing that.
type editorRounds struct {
	hub                        *hub
	ids                        []string
	files                      map[string]string // original content by path
	previews, registers, undos []float64         // ms
}

// plant writes a file for each of manyEditors editors, so that the hub detects them as installed.
func (d *editorRounds) plant(home string, list operations.EditorList) error {
	d.files = make(map[string]string)
	for _, e := range list.Editors {
		if len(d.ids) == manyEditors {
			break
		}
		if len(e.Files) == 0 || !e.Registrable || e.Detected || d.files[e.Files[0].Path] != "" {
			continue
		}
		path := e.Files[0].Path
		if inside, err := filepath.Rel(home, path); err != nil || !filepath.IsLocal(inside) {
			return fmt.Errorf("%s would change %s", e.ID, path)
		}
		d.files[path] = written(path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(d.files[path]), 0o600)); err != nil {
			return err
		}
		d.ids = append(d.ids, e.ID)
	}
	if len(d.ids) < manyEditors {
		return fmt.Errorf("only %d editors can be registered, want %d", len(d.ids), manyEditors)
	}
	return nil
}

// written returns typical content for an editor's file, in the format of the path's extension.
func written(path string) string {
	switch filepath.Ext(path) {
	case ".toml":
		return "model = \"large\"\n\n[history]\nkeep = true\n"
	case ".yaml", ".yml":
		return "model: large\nhistory:\n  keep: true\n"
	}
	return "{\n  \"model\": \"large\",\n  \"history\": {\n    \"keep\": true\n  }\n}\n"
}

// round previews, makes and undoes one change in every editor. Afterwards every file must be as before.
func (d *editorRounds) round(ctx context.Context) error {
	var plans operations.Plans
	request := map[string]any{"action": "register", "editors": d.ids}
	if err := d.timed(ctx, "/api/editors/plan", request, &plans, &d.previews); err != nil {
		return err
	}
	var done, undone operations.Outcomes
	if err := d.timed(ctx, "/api/editors/register", request, &done, &d.registers); err != nil {
		return err
	}
	var changes []string
	for _, o := range done.Outcomes {
		if o.Status == "done" {
			changes = append(changes, o.Change)
		}
	}
	if len(changes) != manyEditors || len(plans.Plans) != manyEditors {
		return fmt.Errorf("%d plans, %d of %d changes: %+v", len(plans.Plans), len(changes), manyEditors, done.Outcomes)
	}
	if err := d.timed(ctx, "/api/editors/undo", map[string]any{"changes": changes}, &undone, &d.undos); err != nil {
		return err
	}
	for path, before := range d.files {
		now, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if string(now) != before {
			return fmt.Errorf("%s is not as it was:\n%s", path, now)
		}
	}
	return nil
}

func (d *editorRounds) timed(ctx context.Context, path string, body, answer any, took *[]float64) error {
	began := time.Now()
	err := d.hub.api.Do(ctx, http.MethodPost, path, body, answer)
	*took = append(*took, ms(time.Since(began)))
	return err
}
