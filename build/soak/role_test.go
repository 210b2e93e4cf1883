//go:build linux

package soak

import "math/rand/v2"

// role is a way in which servers misbehave.
type role struct {
	name   string
	count  int // servers with this role
	remote bool
	// unsure means that any call may fail, because another one may have ended or stopped the process.
	unsure bool
	acts   []act
}

// act is what a server does with a call.
type act struct {
	name   string
	weight int
	fails  bool // the call may fail
	silent bool // there is no answer; the client cancels the call or waits until the hub gives up
}

var roles = []role{
	{name: "steady", count: 3, acts: []act{{name: "answer", weight: 9}, {name: "slow", weight: 1}}},
	{name: "crash", count: 3, unsure: true, acts: []act{
		{name: "answer", weight: 90}, {name: "crash", weight: 3, fails: true}, {name: "answer-crash", weight: 2},
	}},
	{name: "hang", count: 3, unsure: true, acts: []act{
		{name: "answer", weight: 94}, {name: "never", weight: 5, fails: true, silent: true}, {name: "freeze", weight: 1, fails: true},
	}},
	{name: "flood", count: 3, acts: []act{
		{name: "answer", weight: 80}, {name: "stderr", weight: 8}, {name: "progress", weight: 8}, {name: "big", weight: 4},
	}},
	{name: "garbage", count: 3, acts: []act{
		{name: "answer", weight: 60},
		{name: "junk", weight: 15},
		{name: "twice", weight: 10},
		{name: "unasked", weight: 10},
		{name: "malformed", weight: 5, fails: true},
	}},
	{name: "change", count: 2, acts: []act{{name: "answer", weight: 80}, {name: "grow", weight: 10}, {name: "shrink", weight: 10}}},
	{name: "remote", count: 3, remote: true, acts: []act{
		{name: "answer", weight: 84}, {name: "expire", weight: 6}, {name: "events", weight: 6}, {name: "cut", weight: 2, fails: true}, {name: "status", weight: 2, fails: true},
	}},
}

// pick chooses an act by its weight.
func (r role) pick(random *rand.Rand) act {
	sum := 0
	for _, a := range r.acts {
		sum += a.weight
	}
	n := random.IntN(sum)
	for _, a := range r.acts {
		if n -= a.weight; n < 0 {
			return a
		}
	}
	panic("unreachable")
}
