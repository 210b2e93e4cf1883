package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The linker keeps every method of every type in a program that executes templates, because
// templates call methods by name. Cobra uses templates only if a command sets one.
func TestNoCommandUsesATemplate(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("found files %q, %v", files, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"SetVersionTemplate", "SetHelpTemplate", "SetUsageTemplate", "AddTemplateFunc"} {
			if strings.Contains(string(source), name) {
				t.Errorf("%s calls %s, which makes the program megabytes larger", file, name)
			}
		}
	}
}
