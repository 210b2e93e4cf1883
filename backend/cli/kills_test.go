//go:build linux

package cli_test

import (
	"flag"
	"maps"
	"math/rand/v2"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

var (
	kills = flag.Int("kills", 20, "how often TestKilledHubsLoseNothingThatWasAnswered kills the hub")
	seed  = flag.Uint64("seed", 1, "seed of the choices of TestKilledHubsLoseNothingThatWasAnswered")
)

// TestKilledHubsLoseNothingThatWasAnswered kills the hub at random moments, while a person runs commands that change
// something and an agent calls tools. The long form is: make kills.
func TestKilledHubsLoseNothingThatWasAnswered(t *testing.T) {
	t.Parallel()
	t.Logf("seed %d, %d kills; again: make kills KILLS=%[2]d SEED=%[1]d", *seed, *kills)
	k := newKilling(t)
	for round := range *kills {
		if round%20 == 0 {
			k.agent.attach()
		}
		k.round()
		if t.Failed() {
			t.Fatalf("after kill %d of %d", round+1, *kills)
		}
	}
	k.agent.checkEntries(k.agent.answered)
	for _, name := range slices.Sorted(maps.Keys(k.counts)) {
		t.Logf("%-18s %3d kills, %3d commands succeeded", name, k.counts[name].kills, k.counts[name].succeeded)
	}
	t.Logf("%d calls of agents were answered, %d were in flight when their hub was killed", len(k.agent.answered), k.agent.lost)
}

// killing is a home whose hub is killed again and again.
type killing struct {
	t        *testing.T
	h        *programtest.Home
	random   *rand.Rand
	agent    *killedAgent
	facts    facts  // what is configured
	next     int    // number of the next thing that gets a name
	left     []int  // indexes of the verbs that follow
	files    string // folder of exports
	imported string // the export that is imported
	took     map[string]time.Duration
	counts   map[string]struct{ kills, succeeded int }
}

// newKilling starts a hub with two servers and a toolset, which are never removed, and an export of other things.
func newKilling(t *testing.T) *killing {
	t.Helper()
	k := &killing{
		t: t, h: programtest.NewHome(t), random: rand.New(rand.NewPCG(*seed, 0)), files: t.TempDir(),
		took: make(map[string]time.Duration), counts: make(map[string]struct{ kills, succeeded int }),
	}
	k.h.Set("AGENT_DISCOVER_KEYCHAIN", "off")
	k.h.Set("AGENT_DISCOVER_PASSPHRASE", "a passphrase of this machine")
	k.h.Must("start")
	k.prepareImport()
	k.h.Add("fake", k.server())
	k.h.Must(append([]string{"servers", "add", "keyed", "--no-start", "--"}, k.server()...)...)
	k.h.SetSecret("keyed", "TOKEN", "first")
	k.h.Must("toolset", "create", "daily", "fake.echo")
	k.agent = &killedAgent{k: k}
	k.agent.attach()
	k.facts = k.observe(true)
	return k
}

// round lets one command run, kills the hub meanwhile or right after it, and checks what is left.
func (k *killing) round() {
	k.t.Helper()
	v := k.choose()
	began, done := time.Now(), make(chan struct{})
	var ran outcome
	go func() {
		defer close(done)
		ran = v.run()
	}()
	usual := k.usually(v.name)
	delay := usual/4 + time.Duration(k.random.Int64N(int64(usual)))
	killed := make(chan int, 1)
	go func() {
		select {
		case <-time.After(delay): // the moment of the kill is random: no event is awaited
			k.took[v.name] = usual * 5 / 4 // it may take longer than thought
		case <-done:
			k.took[v.name] = time.Since(began)
		}
		killed <- k.agent.killHub()
	}()
	wrong := k.agent.callUntil(done)
	count := k.counts[v.name]
	count.kills += <-killed
	if ran.code == 0 {
		count.succeeded++
	}
	k.counts[v.name] = count
	for _, answer := range wrong {
		k.t.Errorf("%s: a call that was not in flight when the hub was killed failed: %s", v.name, answer)
	}

	if out := k.h.Run("servers", "list"); out.Code != 0 {
		k.t.Fatalf("the hub was killed %s after the start of %s; the next command: %+v", delay, v.name, out)
	}
	if complete := k.compare(v, ran); v.parts && !complete { // the same command does the rest
		if ran = v.run(); ran.code != 0 {
			k.t.Fatalf("%s after an interrupted one: %+v", v.name, ran)
		}
		k.compare(v, ran)
	}
	k.agent.checkAudit(began)
}

// usually returns how long a command takes whose hub is not killed meanwhile.
func (k *killing) usually(name string) time.Duration {
	if took := k.took[name]; took > 0 {
		return took
	}
	return 300 * time.Millisecond
}

// compare checks that a command that has reported success has made its change, and that another has made it completely
// or not at all. It reports whether the change is complete.
func (k *killing) compare(v verb, ran outcome) (complete bool) {
	k.t.Helper()
	wanted := k.facts.clone()
	if v.change != nil {
		v.change(wanted)
	}
	got := k.observe(v.secret)
	switch {
	case reflect.DeepEqual(got, wanted), ran.code != 0 && reflect.DeepEqual(got, k.facts):
	case ran.code != 0 && v.parts && got.between(k.facts, wanted):
	default:
		k.t.Errorf("%s %q exited with %d:\n%s\nbefore %+v\nafter  %+v\nwant   %+v", v.name, v.args, ran.code, ran.text, k.facts, got, wanted)
	}
	k.facts = got
	if v.check != nil {
		v.check(ran.code == 0)
	}
	return reflect.DeepEqual(got, wanted)
}

// outcome is the exit code of a command and what it printed.
type outcome struct {
	code int
	text string
}

// typing runs a command in a terminal on which a person says yes to every question. It does not fail the test, because
// the command may end at any moment.
func (k *killing) typing(passphrase string, args ...string) outcome {
	term := newTerminal(k.t)
	defer func() { _, _ = term.Close(), term.line.Close() }()
	cmd := k.h.Command(args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = term.line, term.line, term.line
	if err := cmd.Start(); err != nil {
		return outcome{-1, err.Error()}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the exit code is read from ProcessState
	}()
	answered := make(map[string]int)
	err := programtest.Await(func() (bool, error) {
		select {
		case <-ended:
			return true, nil
		default:
		}
		for _, question := range []string{"[y/N] ", " the secrets in the file: ", "Repeat the passphrase: "} {
			if n := strings.Count(term.screen.String(), question); n > answered[question] {
				answered[question] = n
				answer := passphrase
				if question == "[y/N] " {
					answer = "y"
				}
				_, _ = term.WriteString(answer + "\n") // fails if the command has ended
			}
		}
		return false, nil
	})
	if err != nil {
		_ = cmd.Process.Kill()
		<-ended
	}
	return outcome{cmd.ProcessState.ExitCode(), term.screen.String()}
}

// ran runs a command without a terminal.
func (k *killing) ran(input string, args ...string) outcome {
	cmd := k.h.Command(args...)
	cmd.Stdin = strings.NewReader(input)
	text, err := cmd.CombinedOutput()
	if exit, ok := err.(*exec.ExitError); ok {
		return outcome{exit.ExitCode(), string(text)}
	}
	if err != nil {
		return outcome{-1, err.Error()}
	}
	return outcome{0, string(text)}
}
