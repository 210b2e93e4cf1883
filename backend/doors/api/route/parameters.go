package route

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// parametersOf returns the sorted names of the query parameters of an operation whose input has the given type.
func parametersOf(input reflect.Type) (names []string) {
	if input.Kind() != reflect.Struct {
		return nil
	}
	for _, field := range reflect.VisibleFields(input) {
		if tag := field.Tag.Get("query"); tag != "" {
			name, _, _ := strings.Cut(tag, ",") // the rest says how a list is written
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// unknownParameter says which query parameter of a request is not in known, which is sorted; empty if all are. A misspelled
// filter that is ignored would return, or change, more than the client meant.
func unknownParameter(r *http.Request, known []string) string {
	if r.URL.RawQuery == "" {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(r.URL.Query())) {
		if slices.Contains(known, name) {
			continue
		}
		text := fmt.Sprintf("unknown query parameter %q; this operation has ", safetext.Clip(name, 100))
		if len(known) == 0 {
			return text + "none"
		}
		return text + strings.Join(known, ", ")
	}
	return ""
}
