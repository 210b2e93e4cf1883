package main

import (
	"slices"
	"strings"
)

// results holds what go test has reported so far about one package.
type results struct {
	order  []string // test names in the order of their start
	tests  map[string]*test
	output strings.Builder // output that belongs to no test
	ended  bool
}

type test struct {
	outcome string // pass, fail or skip; empty while the test runs
	output  strings.Builder
	parent  bool // it has subtests
}

func (r *results) take(e event) {
	if e.Test == "" {
		switch e.Action {
		case "output":
			r.output.WriteString(e.Output)
		case "pass", "fail", "skip":
			r.ended = true
		}
		return
	}
	t := r.test(e.Test)
	switch e.Action {
	case "output":
		t.output.WriteString(e.Output)
	case "pass", "fail", "skip":
		t.outcome = e.Action
	}
}

// counts counts tests without subtests, and tests that failed although none of their subtests did. A test that has not
// ended when its package ends counts as failed.
func (r *results) counts() counts {
	var c counts
	for _, name := range r.order {
		t := r.tests[name]
		switch {
		case r.failed(name):
			c.failed++
		case t.parent:
		case t.outcome == "pass":
			c.passed++
		case t.outcome == "skip":
			c.skipped++
		}
	}
	return c
}

// skips returns the skipped tests with their reasons.
func (r *results) skips() []string {
	var out []string
	for _, name := range r.order {
		if t := r.tests[name]; t.outcome == "skip" && !t.parent {
			out = append(out, name+": "+skipReason(t.output.String()))
		}
	}
	return out
}

// skipReason returns the message of t.Skip, which go test prints as "    file_test.go:12: message".
func skipReason(output string) string {
	for line := range strings.Lines(output) {
		if _, reason, ok := strings.Cut(line, "_test.go:"); ok {
			if _, reason, ok = strings.Cut(reason, ": "); ok {
				return strings.TrimSpace(reason)
			}
		}
	}
	return lastLine(output)
}

// failedTests returns the names of the tests that counts counts as failed.
func (r *results) failedTests() []string {
	return slices.Collect(func(yield func(string) bool) {
		for _, name := range r.order {
			if r.failed(name) && !yield(name) {
				return
			}
		}
	})
}

// failureOutput returns the output of the failed tests, of their parents and of the package.
func (r *results) failureOutput() string {
	var all strings.Builder
	for _, name := range r.order {
		if r.bad(name) {
			all.WriteString(r.tests[name].output.String())
		}
	}
	all.WriteString(r.output.String())
	return all.String()
}

// running returns the name of the test that started last and has not ended; empty if there is none.
func (r *results) running() string {
	for _, name := range slices.Backward(r.order) {
		if r.tests[name].outcome == "" {
			return name
		}
	}
	return ""
}

// bad reports whether a test or one of its subtests failed, or has not ended when its package ended.
func (r *results) bad(name string) bool {
	outcome := r.tests[name].outcome
	return outcome == "fail" || outcome == "" && r.ended
}

func (r *results) failed(name string) bool {
	if !r.bad(name) {
		return false
	}
	return !r.tests[name].parent || !slices.ContainsFunc(r.order, func(other string) bool {
		return strings.HasPrefix(other, name+"/") && r.bad(other)
	})
}

// test returns the test with the given name. It marks the tests that contain it as parents.
func (r *results) test(name string) *test {
	if t := r.tests[name]; t != nil {
		return t
	}
	t := &test{}
	r.tests[name] = t
	r.order = append(r.order, name)
	for above := name; ; {
		cut := strings.LastIndexByte(above, '/')
		if cut < 0 {
			return t
		}
		above = above[:cut]
		if p := r.tests[above]; p != nil {
			p.parent = true
		}
	}
}
