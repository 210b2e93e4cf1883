package quarantine

import "time"

// circumstances are the facts, besides the item itself, that a decision about an item depends on.
type circumstances struct {
	launch   string // hash of the server's present launch
	first    bool   // the item is in the first list of its kind
	proposed bool   // an agent that may not install servers proposed the server, and no person has approved its items
	strict   bool   // an agent proposed the server
	quiet    bool   // clean changes are approved without asking
	alike    bool   // people may confuse the name of the item with that of another one
	now      time.Time
}

// decide returns an item in the state that follows from its latest definition. i.Hash and
// i.Judgement must be those of that definition. before is the hash of the definition before
// it, or zero for a new item.
func decide(i Item, before Hash, c circumstances) Item {
	was, reason := i.State, i.Reason
	i.State, i.Reason = next(i, c)
	if i.State == Approved && i.Approved != i.Hash {
		i.Approved, i.ApprovedText, i.Launch, i.By, i.At = i.Hash, i.Latest, c.launch, Scan, c.now
	} else if i.State == Approved && before != (Hash{}) && before != i.Hash {
		i.Flips++
	}
	if i.State != was || i.Reason != reason {
		i.Since = c.now
	}
	return i
}

func next(i Item, c circumstances) (State, Reason) {
	known := i.Approved != (Hash{})
	same := known && i.Approved == i.Hash
	switch {
	case i.Hash == i.Rejected:
		return Rejected, Refused
	case i.Verdict == Block && (!same || i.By != Person):
		return Blocked, Found
	case same && i.Launch == c.launch:
		return Approved, ""
	case known && i.Launch != c.launch:
		if same {
			return Pending, Relaunch
		}
		return Altered, Relaunch
	case known && c.quiet && i.Verdict < Warn:
		return Approved, ""
	case known:
		return Altered, Modified
	case c.first && c.proposed:
		return Pending, Proposed
	case c.alike && i.Verdict >= Warn:
		return Pending, Found
	case c.alike:
		return Pending, Alike
	case c.first && !c.strict, (c.first || c.quiet) && i.Verdict < Warn:
		return Approved, ""
	case i.Verdict >= Warn:
		return Pending, Found
	}
	return Pending, New
}

// approve returns an item whose latest definition a person has approved.
func approve(i Item, launch string, now time.Time) Item {
	i.State, i.Reason, i.Since = Approved, "", now
	i.Approved, i.ApprovedText, i.Launch, i.By, i.At = i.Hash, i.Latest, launch, Person, now
	i.Rejected, i.Flips = Hash{}, 0
	return i
}

// reject returns an item whose latest definition a person has rejected. An earlier
// definition that was approved stays approved.
func reject(i Item, now time.Time) Item {
	i.State, i.Reason, i.Since, i.Rejected = Rejected, Refused, now, i.Hash
	if i.Approved == i.Hash {
		i.Approved, i.ApprovedText, i.Launch, i.By, i.At = Hash{}, nil, "", "", time.Time{}
	}
	return i
}
