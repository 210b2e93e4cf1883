package main

import (
	"slices"
	"strings"
)

// results is what one run of a package's tests has told so far.
type results struct {
	order  []string // test names as they started
	tests  map[string]*test
	output strings.Builder // the package's own
	ended  bool
}

type test struct {
	outcome string // pass, fail, skip; empty while it runs
	output  strings.Builder
	parent  bool
}

func newResults() *results {
	return &results{tests: map[string]*test{}}
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

// counts counts each test without subtests once, and a test that failed although none of its subtests did. A test
// that never ended counts as failed when its package has.
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

// failedTests names what counts counts as failed.
func (r *results) failedTests() []string {
	return slices.Collect(func(yield func(string) bool) {
		for _, name := range r.order {
			if r.failed(name) && !yield(name) {
				return
			}
		}
	})
}

// failureOutput is all that the failed tests, those around them, and the package printed.
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

// running names the test that started last and has not ended.
func (r *results) running() string {
	for _, name := range slices.Backward(r.order) {
		if r.tests[name].outcome == "" {
			return name
		}
	}
	return ""
}

// bad tells whether a test failed itself or by a subtest.
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

// test returns the named test, which makes the tests it belongs to parents.
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
