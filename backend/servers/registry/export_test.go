package registry

import (
	"reflect"
	"slices"
	"testing"
)

func TestEveryFieldIsExportedOrLeftOutOnPurpose(t *testing.T) {
	leftOut := []string{"ID", "Installed", "Health", "CreatedAt", "UpdatedAt"} // the other machine decides them
	for field := range reflect.TypeFor[Server]().Fields() {
		switch tag := field.Tag.Get("json"); {
		case tag == "":
			t.Errorf("Server.%s has no JSON name: give it one, so that exports have it", field.Name)
		case (tag == "-") != slices.Contains(leftOut, field.Name):
			t.Errorf("Server.%s has the tag %q: exports must have every field but %v", field.Name, tag, leftOut)
		}
	}
}
