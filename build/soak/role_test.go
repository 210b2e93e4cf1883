//go:build linux

package soak

import "math/rand/v2"

// role is a way in which servers misbehave.
type role struct {
	name   string
	kind   kind
	count  int // servers with this role
	remote bool
	// unsure means that any call may fail, because another call may have ended or frozen the process.
	unsure bool
	acts   []act
}

// kind is the version of MCP and the transport that a server speaks.
type kind string

const (
	legacy   kind = "legacy"   // MCP 2025-06-18
	expiring kind = "expiring" // MCP 2025-06-18 over HTTP, with sessions that end after some time
	modern   kind = "modern"   // MCP 2026-07-28 only
)

// act is what a server does during a call.
type act struct {
	name   string
	weight int
	fails  bool // the call may fail
	silent bool // there is no answer; the client cancels the call or waits until the hub gives up
}

var roles = []role{
	{name: "steady", kind: legacy, count: 2, acts: []act{{name: "answer", weight: 9}, {name: "slow", weight: 1}}},
	{name: "crash", kind: legacy, count: 2, unsure: true, acts: []act{
		{name: "answer", weight: 90}, {name: "crash", weight: 3, fails: true}, {name: "answer-crash", weight: 2},
	}},
	{name: "hang", kind: legacy, count: 2, unsure: true, acts: []act{
		{name: "answer", weight: 94}, {name: "never", weight: 5, fails: true, silent: true}, {name: "freeze", weight: 1, fails: true},
	}},
	{name: "flood", kind: legacy, count: 2, acts: []act{
		{name: "answer", weight: 80}, {name: "stderr", weight: 8}, {name: "progress", weight: 8}, {name: "big", weight: 4},
	}},
	{name: "garbage", kind: legacy, count: 2, acts: []act{
		{name: "answer", weight: 60},
		{name: "junk", weight: 15},
		{name: "twice", weight: 10},
		{name: "unasked", weight: 10},
		{name: "malformed", weight: 5, fails: true},
	}},
	{
		name: "change", kind: legacy, count: 1,
		acts: []act{{name: "answer", weight: 80}, {name: "grow", weight: 10}, {name: "shrink", weight: 10}},
	},
	{name: "remote", kind: legacy, count: 2, remote: true, acts: []act{
		{name: "answer", weight: 84},
		{name: "expire", weight: 6},
		{name: "events", weight: 6},
		{name: "cut", weight: 2, fails: true},
		{name: "status", weight: 2, fails: true},
	}},
	{
		name: "expiring", kind: expiring, count: 2, remote: true,
		acts: []act{{name: "answer", weight: 80}, {name: "events", weight: 10}, {name: "slow", weight: 10}},
	},
	{name: "modern", kind: modern, count: 2, acts: []act{
		{name: "answer", weight: 50},
		{name: "ask", weight: 15},
		{name: "state", weight: 5},
		{name: "progress", weight: 5},
		{name: "junk", weight: 5},
		{name: "twice", weight: 5},
		{name: "unasked", weight: 5},
		{name: "grow", weight: 5},
		{name: "shrink", weight: 5},
	}},
	{name: "modern-crash", kind: modern, count: 1, unsure: true, acts: []act{
		{name: "answer", weight: 75},
		{name: "ask", weight: 15},
		{name: "crash", weight: 3, fails: true},
		{name: "answer-crash", weight: 2},
		{name: "never", weight: 4, fails: true, silent: true},
		{name: "freeze", weight: 1, fails: true},
	}},
	{name: "modern-remote", kind: modern, count: 2, remote: true, acts: []act{
		{name: "answer", weight: 58},
		{name: "ask", weight: 15},
		{name: "state", weight: 5},
		{name: "events", weight: 6},
		{name: "grow", weight: 4},
		{name: "shrink", weight: 4},
		{name: "deaf", weight: 4},
		{name: "cut", weight: 2, fails: true},
		{name: "status", weight: 2, fails: true},
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
