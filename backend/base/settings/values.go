package settings

import (
	"maps"
	"reflect"
	"slices"
	"time"
)

// Origin is where the value of a setting comes from.
type Origin string

// The origins. An environment variable counts only if it changes the value that the setting has without it.
const (
	FromDefault     Origin = "default"
	FromFile        Origin = "file"
	FromEnvironment Origin = "environment"
)

// Keys returns the keys of all settings of the file, in alphabetical order.
func Keys() []string {
	keys := make([]string, len(Table))
	for i, row := range Table {
		keys[i] = row.Key
	}
	slices.Sort(keys)
	return keys
}

// Values returns all settings of the file by their keys. Times are texts such as 1m30s, or
// whole seconds where the file gives seconds; lists are never nil.
func (s *Settings) Values() map[string]any {
	values := make(map[string]any)
	for _, row := range Table {
		key := row.Key
		switch v := reflect.ValueOf(row.of(s)).Elem(); value := v.Interface().(type) {
		case time.Duration:
			values[key] = value.String()
		case Seconds:
			values[key] = int(time.Duration(value).Seconds())
		default:
			if v.Kind() == reflect.Slice && v.IsNil() {
				value = reflect.MakeSlice(v.Type(), 0, 0).Interface()
			}
			values[key] = value
		}
	}
	return values
}

// OriginOf returns where the value of a setting comes from.
func (s *Settings) OriginOf(key string) Origin {
	if from, ok := s.sources[key]; ok {
		return from
	}
	return FromDefault
}

// changed returns the keys of the settings that differ between a and b, in alphabetical order.
func changed(a, b *Settings) (keys []string) {
	before, after := a.Values(), b.Values()
	for _, key := range slices.Sorted(maps.Keys(before)) {
		if !reflect.DeepEqual(before[key], after[key]) {
			keys = append(keys, key)
		}
	}
	return keys
}
