package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// module is the prefix that the report leaves out of package names.
const module = "github.com/agent-discover/agent-discover/"

// skipCode is the exit code of a check that cannot run on this machine, as in Automake.
const skipCode = 77

// event is a line of go test -json or one of the marks around a command: {"Action":"open","Section":…,"Check":…} and
// {"Action":"close","Code":…}.
type event struct {
	Action      string
	Package     string
	Test        string
	Output      string
	Elapsed     float64
	ImportPath  string
	FailedBuild string

	Section string
	Check   bool
	Code    int
}

// tally counts results and reports each as soon as it is known.
type tally struct {
	out      io.Writer
	counts   counts
	failures []string // names of failed tests
	skips    []string // names of skipped tests, with reasons
	section  *section
	started  time.Time
}

type counts struct{ passed, failed, skipped int }

func (c *counts) add(d counts) {
	c.passed, c.failed, c.skipped = c.passed+d.passed, c.failed+d.failed, c.skipped+d.skipped
}

// String omits failed and skipped when they are zero.
func (c counts) String() string {
	words := []string{fmt.Sprintf("%d passed", c.passed)}
	if c.failed > 0 {
		words = append(words, fmt.Sprintf("%d failed", c.failed))
	}
	if c.skipped > 0 {
		words = append(words, fmt.Sprintf("%d skipped", c.skipped))
	}
	return strings.Join(words, ", ")
}

// section is one command whose output is being read.
type section struct {
	name     string
	check    bool
	started  time.Time
	text     strings.Builder             // lines that are not events
	builds   map[string]*strings.Builder // compiler output by import path
	packages map[string]*results
	failures int
}

func newTally(out io.Writer) *tally {
	return &tally{out: out, started: time.Now()}
}

// line processes one line of the stream.
func (t *tally) line(line string) {
	var e event
	if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
		t.plain(line)
		return
	}
	switch {
	case e.Action == "open":
		t.end()
		t.open(e)
	case t.section == nil:
		t.plain(line)
	case e.Action == "close":
		t.close(e.Code)
	case e.Action == "build-output":
		t.section.build(e.ImportPath).WriteString(e.Output)
	case e.Package != "":
		t.packageEvent(e)
	}
}

// plain handles a line that is not an event. The output of a check is shown only if the check fails, other lines
// immediately.
func (t *tally) plain(line string) {
	if t.section != nil {
		t.section.text.WriteString(line)
		if t.section.check {
			return
		}
	}
	fmt.Fprint(t.out, line)
}

func (t *tally) open(e event) {
	t.section = &section{
		name:     e.Section,
		check:    e.Check,
		started:  time.Now(),
		builds:   map[string]*strings.Builder{},
		packages: map[string]*results{},
	}
	if !e.Check {
		fmt.Fprintf(t.out, "== %s\n", e.Section)
	}
}

func (t *tally) close(code int) {
	s := t.section
	for name, p := range s.packages {
		if !p.ended {
			t.packageEvent(event{Action: "fail", Package: name})
		}
	}
	t.section = nil
	switch {
	case s.check && code == 0:
		t.counts.passed++
		t.row("ok", s.name, "", time.Since(s.started))
	case s.check && code == skipCode:
		t.counts.skipped++
		t.skips = append(t.skips, s.name+": "+lastLine(s.text.String()))
		t.row("skip", s.name, "", time.Since(s.started))
	case s.check:
		t.row("FAIL", s.name, fmt.Sprintf("exit code %d", code), time.Since(s.started))
		t.show(s.text.String())
		t.fail(s.name)
	case code != 0 && s.failures == 0:
		t.fail(fmt.Sprintf("%s: exit code %d, though no test failed", s.name, code))
	}
}

// end closes the section of a command that ended without its closing mark.
func (t *tally) end() {
	if t.section != nil {
		fmt.Fprintf(t.out, "%s was cut off\n", t.section.name)
		t.close(-1)
	}
}

// fail counts one failure and keeps its name for the end of the report.
func (t *tally) fail(name string) {
	t.counts.failed++
	t.failures = append(t.failures, name)
}

func (t *tally) packageEvent(e event) {
	p := t.section.packages[e.Package]
	if p == nil {
		p = &results{tests: map[string]*test{}}
		t.section.packages[e.Package] = p
	}
	p.take(e)
	if !p.ended {
		return
	}

	failed := p.failedTests()
	name := shorten(e.Package)
	for _, skip := range p.skips() {
		t.skips = append(t.skips, name+" "+skip)
	}
	switch {
	case e.Action == "fail":
		c := p.counts()
		for _, test := range failed {
			t.failures = append(t.failures, name+" "+test)
		}
		if len(failed) == 0 {
			c.failed++
			t.failures = append(t.failures, name)
		}
		t.counts.add(c)
		t.section.failures += c.failed
		t.row("FAIL", name, c.String(), seconds(e.Elapsed))
		if e.FailedBuild != "" {
			t.show(t.section.build(e.FailedBuild).String())
		}
		t.show(p.failureOutput())
	case len(p.tests) > 0:
		c := p.counts()
		t.counts.add(c)
		t.row("ok", name, c.String(), seconds(e.Elapsed))
	}
}

func (t *tally) row(verdict, name, what string, took time.Duration) {
	fmt.Fprintf(t.out, "%-4s  %-32s %-28s %6.1f s\n", verdict, name, what, took.Seconds())
}

// show writes the output of a failure, indented.
func (t *tally) show(output string) {
	for line := range strings.Lines(output) {
		fmt.Fprint(t.out, "      ", line)
		if !strings.HasSuffix(line, "\n") {
			fmt.Fprintln(t.out)
		}
	}
}

// progress reports how far the run is and which tests are running.
func (t *tally) progress() {
	soFar, busy := t.counts, []string{}
	if t.section != nil {
		busy = append(busy, t.section.name)
		for name, p := range t.section.packages {
			if !p.ended {
				soFar.add(p.counts())
				if test := p.running(); test != "" {
					busy = append(busy, shorten(name)+" "+test)
				}
			}
		}
		slices.Sort(busy[1:])
	}
	fmt.Fprintf(t.out, "…     after %s: %s; busy: %s\n", time.Since(t.started).Round(time.Second), soFar, strings.Join(busy, ", "))
}

// sum writes the end of the report. It reports success if at least one test passed and none failed. Scripts rely on
// the form of the last line.
func (t *tally) sum() bool {
	if len(t.skips) > 0 {
		fmt.Fprintln(t.out, "skipped:")
		for _, skip := range t.skips {
			fmt.Fprintln(t.out, "     ", skip)
		}
	}
	if len(t.failures) > 0 {
		fmt.Fprintln(t.out, "failed:")
		for _, name := range t.failures {
			fmt.Fprintln(t.out, "     ", name)
		}
	}
	fmt.Fprintf(t.out, "%d passed, %d failed, %d skipped\n", t.counts.passed, t.counts.failed, t.counts.skipped)
	return t.counts.failed == 0 && t.counts.passed > 0
}

func (s *section) build(path string) *strings.Builder {
	if s.builds[path] == nil {
		s.builds[path] = &strings.Builder{}
	}
	return s.builds[path]
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// shorten returns the path of a package below the repository.
func shorten(path string) string {
	if path+"/" == module {
		return "."
	}
	return strings.TrimPrefix(path, module)
}

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second))
}
