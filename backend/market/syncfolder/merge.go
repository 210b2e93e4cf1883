package syncfolder

import (
	"maps"
	"reflect"
	"slices"
)

// Side is one of the two sides that a merge combines.
type Side int

// The sides. Undecided is the zero value.
const (
	Undecided Side = iota
	Mine           // this machine
	Theirs         // the folder
)

// step says what a merge makes of one object that is not the same on both sides.
type step struct {
	Key
	mine, theirs Object // nil if that side has none
	value        Object // on both sides after the step; nil if both have none
	here, there  bool   // the step changes this machine, or the folder
	conflicts    []string
}

// merge compares two sides with what both had when they were last the same, and returns a step for each object that
// differs. Objects that both sides have changed are merged member by member. Members that both have changed to different
// values are a conflict, and so are an object that one side has changed and the other has removed, and two different
// objects that both have added. A conflict changes nothing, unless decide returns a side for it.
func merge(base, mine, theirs Objects, decide func(Key) Side) []step {
	keys := make(map[Key]bool)
	for _, side := range []Objects{mine, theirs} {
		for key := range side {
			keys[key] = true
		}
	}
	var steps []step
	for _, key := range slices.SortedFunc(maps.Keys(keys), compareKeys) {
		if s := mergeObject(base[key], step{Key: key, mine: mine[key], theirs: theirs[key]}, decide(key)); s.here || s.there ||
			len(s.conflicts) > 0 {
			steps = append(steps, s)
		}
	}
	return steps
}

func mergeObject(base Object, s step, decided Side) step {
	switch {
	case s.mine.equal(s.theirs):
		return s
	case s.theirs.equal(base):
		s.value, s.there = s.mine, true
		return s
	case s.mine.equal(base):
		s.value, s.here = s.theirs, true
		return s
	case s.mine == nil || s.theirs == nil || base == nil:
		s.value = map[Side]Object{Mine: s.mine, Theirs: s.theirs}[decided]
		if decided == Undecided {
			s.conflicts = differing(s.mine, s.theirs)
		}
	default:
		m := merger{decided: decided}
		s.value = m.members(base, s.mine, s.theirs, "")
		s.conflicts = m.conflicts
	}
	if len(s.conflicts) == 0 {
		s.here, s.there = !s.value.equal(s.mine), !s.value.equal(s.theirs)
	}
	return s
}

// differing returns the members in which two objects differ, or "" for an object that one side does not have.
func differing(a, b Object) (paths []string) {
	if a == nil || b == nil {
		return []string{""}
	}
	for _, d := range differences(a, b) {
		paths = append(paths, d.path)
	}
	return paths
}

// whole is the member with the launch of a server. Its parts have a meaning only together, so that two sides that have
// changed different parts are in conflict.
const whole = "launch"

// merger merges the members of one object.
type merger struct {
	decided   Side
	conflicts []string // paths of members that both sides have changed
}

func (m *merger) members(base, mine, theirs map[string]any, path string) map[string]any {
	merged := make(map[string]any)
	for _, name := range names(mine, theirs) {
		at := path + name
		b, hadB := base[name]
		i, hadI := mine[name]
		t, hadT := theirs[name]
		value, has := i, hadI
		switch {
		case reflect.DeepEqual(i, t) && hadI == hadT:
		case hadT == hadB && reflect.DeepEqual(t, b):
		case hadI == hadB && reflect.DeepEqual(i, b):
			value, has = t, hadT
		default:
			mineMap, mineIs := i.(map[string]any)
			theirMap, theirIs := t.(map[string]any)
			baseMap, _ := b.(map[string]any)
			switch {
			case mineIs && theirIs && at != whole:
				value = m.members(baseMap, mineMap, theirMap, at+".")
			case m.decided == Theirs:
				value, has = t, hadT
			case m.decided == Undecided:
				m.conflicts = append(m.conflicts, at)
			}
		}
		if has {
			merged[name] = value
		}
	}
	return merged
}

func names(a, b map[string]any) []string {
	all := maps.Clone(b)
	if all == nil {
		all = make(map[string]any)
	}
	maps.Copy(all, a)
	return slices.Sorted(maps.Keys(all))
}

// difference is a member in which two objects differ. A side that does not have it has the value nil.
type difference struct {
	path string
	a, b any
}

func differences(a, b map[string]any) (all []difference) {
	for _, name := range names(a, b) {
		x, hasX := a[name]
		y, hasY := b[name]
		if hasX == hasY && reflect.DeepEqual(x, y) {
			continue
		}
		mapX, isX := x.(map[string]any)
		mapY, isY := y.(map[string]any)
		if !isX || !isY {
			all = append(all, difference{name, x, y})
			continue
		}
		for _, d := range differences(mapX, mapY) {
			all = append(all, difference{name + "." + d.path, d.a, d.b})
		}
	}
	return all
}
