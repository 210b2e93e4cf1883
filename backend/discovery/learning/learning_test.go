package learning

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// kept is a store in memory.
type kept struct {
	mu     sync.Mutex
	pairs  map[int64]Pair
	set    *Switch
	last   int64
	broken bool
}

func (k *kept) Learned(context.Context) (Kept, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	out := Kept{LastID: k.last, Switch: k.set}
	for _, p := range k.pairs {
		out.Pairs = append(out.Pairs, p)
	}
	return out, k.fails()
}

func (k *kept) KeepLearned(_ context.Context, pairs []Pair, gone []int64) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.broken {
		return k.fails()
	}
	for _, p := range pairs {
		k.pairs[p.ID], k.last = p, max(k.last, p.ID)
	}
	for _, id := range gone {
		delete(k.pairs, id)
	}
	return nil
}

func (k *kept) EraseLearned(_ context.Context, ids []int64) error {
	if ids == nil {
		for id := range k.pairs {
			ids = append(ids, id)
		}
	}
	return k.KeepLearned(context.Background(), nil, ids)
}

func (k *kept) KeepLearningSwitch(_ context.Context, s Switch) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.broken {
		k.set = &s
	}
	return k.fails()
}

func (k *kept) fails() error {
	if k.broken {
		return errors.New("disk gone")
	}
	return nil
}

// desk is learning with a clock and a store of a test's own.
type desk struct {
	*Learning
	t     testing.TB
	kept  *kept
	clock time.Time
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	d := &desk{t: t, kept: &kept{pairs: make(map[int64]Pair)}, clock: time.Unix(1790000000, 0)}
	d.open(true)
	return d
}

func (d *desk) open(on bool) {
	d.t.Helper()
	var err error
	d.Learning, err = Open(context.Background(), Options{
		Store: d.kept, Bus: &events.Bus{}, Log: slog.New(slog.DiscardHandler), On: on, Now: func() time.Time { return d.clock },
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

// stored writes what is due, as Run does.
func (d *desk) stored() map[int64]Pair {
	d.write(context.Background())
	return d.kept.pairs
}

func key(name string) catalog.Key { return catalog.Key{Server: "s", Tool: name} }

func keys(names string) []catalog.Key {
	var out []catalog.Key
	for _, name := range strings.Fields(names) {
		out = append(out, key(name))
	}
	return out
}

// play plays a session: "ask QUERY > TOOLS | QUERY > TOOLS", "ok TOOL", "fail TOOL" and "wait TIME".
func (d *desk) play(script string) {
	d.t.Helper()
	for line := range strings.SplitSeq(script, ";") {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch verb {
		case "ask":
			var answers []Answer
			for need := range strings.SplitSeq(rest, "|") {
				query, shown, _ := strings.Cut(need, ">")
				answers = append(answers, Answer{query, keys(shown)})
			}
			d.Asked("one", answers...)
		case "ok", "fail":
			d.Called("one", key(rest), verb == "ok")
		case "wait":
			wait, err := time.ParseDuration(rest)
			if err != nil {
				d.t.Fatal(err)
			}
			d.clock = d.clock.Add(wait)
		default:
			d.t.Fatal(line)
		}
	}
}

// learned is all that is known, in the order in which it came.
func (d *desk) learned() string {
	all := d.All()
	slices.SortFunc(all, func(a, b Learned) int { return int(a.ID - b.ID) })
	var out []string
	for _, l := range all {
		text := fmt.Sprintf("%s=%s %d", l.Query, l.Tool.Tool, l.Times)
		if l.Failed > 0 {
			text += fmt.Sprintf("-%d", l.Failed)
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func TestWhichCallsTeachWhat(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"what was shown and called":              {"ask read mail > a b; ok b", "read mail=b 1"},
		"nobody asked":                           {"ok a", ""},
		"a failure":                              {"ask read mail > a; fail a", ""},
		"only the first success":                 {"ask read mail > a b; ok a; ok b; ok a", "read mail=a 1"},
		"a success after a failure":              {"ask read mail > a b; fail a; ok b", "read mail=b 1"},
		"just in time":                           {"ask read mail > a; wait 10m; ok a", "read mail=a 1"},
		"too late":                               {"ask read mail > a; wait 10m1s; ok a", ""},
		"what was not shown, soon":               {"ask read mail > b; wait 2m; ok a", "read mail=a 1"},
		"what was not shown, late":               {"ask read mail > b; wait 2m1s; ok a", ""},
		"nothing was shown":                      {"ask read mail >; ok a", "read mail=a 1"},
		"what was shown replaces what was not":   {"ask read mail > b; ok a; ok b; ok a", "read mail=b 1"},
		"a second asking":                        {"ask read mail > a; ok a; wait 11m; ask read mail > a; ok a", "read mail=a 2"},
		"asked again at once":                    {"ask read mail > a; ok a; wait 1m; ask read mail > a; ok a", "read mail=a 1"},
		"the same in other order":                {"ask read mail > a; ok a; wait 11m; ask mails to read > a; ok a", "read mail=a 2"},
		"each need has its call":                 {"ask read mail > a; wait 5s; ask open door > b; wait 5s; ok b; ok a", "open door=b 1, read mail=a 1"},
		"each need has its call, all shown":      {"ask read mail > a b; wait 5s; ask open door > b a; ok a; ok b", "read mail=a 1, open door=b 1"},
		"the newest of equals":                   {"ask read mail > a; wait 5s; ask open door > a; ok a", "open door=a 1"},
		"another need tells nothing":             {"ask read mail > b; wait 5s; ask paint wall > a; ok a", "paint wall=a 1"},
		"found after nothing was found":          {"ask frob mail >; wait 5s; ask read letter > a; ok a", "read letter=a 1, frob mail=a 1"},
		"found in other words":                   {"ask frob mail > b; wait 5s; ask read mail > a; ok a", "read mail=a 1, frob mail=a 1"},
		"found in other words, late":             {"ask frob mail > b; wait 121s; ask read mail > a; ok a", "read mail=a 1"},
		"something else with the same words":     {"ask remove mail > b; wait 5s; ask create mail > a; ok a", "create mail=a 1"},
		"what was shown in like words":           {"ask my unread mail > b a; wait 5m; ask unread mail today > a; ok a", "unread mail today=a 1, my unread mail=a 1"},
		"a later question does not explain":      {"ask read mail > a; wait 5s; ask frob mail > b; ok a", "read mail=a 1"},
		"several at once are needs of their own": {"ask read mail > a b; ask sort mail > b a; ok a; ok b", "read mail=a 1, sort mail=b 1"},
		"several at once teach nothing unshown":  {"ask read mail > a; ask sort mail > b; ok c", ""},
		"several at once tell not of each other": {"ask frob mail >; ask read mail > a; ok a", "read mail=a 1"},
		"the sixth drives out the first":         {"ask q one > a; wait 5s; ask q two >; wait 5s; ask r three >; wait 5s; ask r four >; wait 5s; ask r five >; wait 150s; ask r six >; wait 150s; ok a", ""},
		"five are remembered":                    {"ask q one > a; wait 5s; ask r two >; wait 5s; ask r three >; wait 5s; ask r four >; wait 5s; ask r five >; wait 150s; ok a", "q one=a 1"},
		"a later failure counts once":            {"ask read mail > a; ok a; wait 11m; ask read mail > a b; fail a; fail a; ok b", "read mail=a 1-1, read mail=b 1"},
		"another try is no failure":              {"ask read mail > a; ok a; wait 11m; ask read mail > a; fail a; ok a", "read mail=a 2"},
		"a failure of what was not shown":        {"ask read mail > b; ok a; fail a", "read mail=a 1"},
		"several at once are not restated":       {"ask frob mail >; ask sort mail > b; wait 5s; ask read mail > a; ok a", "read mail=a 1"},
		"a call between ends the message":        {"ask read mail > a; ok a; ask frob mail > b; ok c", "read mail=a 1, frob mail=c 1"},
		"a failed call ends the message, too":    {"ask read mail > a; fail a; ask frob mail > b; ok c", "frob mail=c 1, read mail=c 1"},
		"a call for an earlier message ends not": {"ask open door > x; wait 5s; ask frob mail > b; ok x; ask sort mail > b; ok c", "open door=x 1"},
		"one request, however slow":              {"ask read mail > a | sort mail > b; wait 5s; ok c", ""},
		"several at once, though alike":          {"ask unread mail today > a; ask unread mail > a; ok a", "unread mail=a 1"},
		"a failure after a success":              {"ask read mail > a; ok a; fail a", "read mail=a 1"},
		"known, and not found for another need":  {"ask read mail > a; ok a; wait 5s; ask frob thing >; ok a", "read mail=a 1, frob thing=a 1"},
		"known, and what was asked comes later":  {"ask read mail > a; ok a; wait 5s; ask frob thing > b; ok a; ok b", "read mail=a 1, frob thing=b 1"},
		"still at the first need":                {"ask read mail > a; ok a; wait 5s; ask frob thing > b a; ok a; ok b", "read mail=a 1, frob thing=b 1"},
		"what says nothing":                      {"ask what is it for me > a; ok a; wait 5s; ask 42 > b; ok b; ask  > c; ok c", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.play(c.script)
			if got := d.learned(); got != c.want {
				t.Errorf("learned %q, want %q", got, c.want)
			}
			again := &desk{t: t, kept: &kept{pairs: d.stored(), last: 99}, clock: d.clock}
			if again.open(true); again.learned() != d.learned() {
				t.Errorf("after a restart it is %q", again.learned())
			}
		})
	}
}

func TestOtherSessionsTeachNothing(t *testing.T) {
	d := newDesk(t)
	d.Asked("one", Answer{"read mail", keys("a")})
	d.Called("two", key("a"), true)
	if got := d.learned(); got != "" {
		t.Errorf("learned %s", got)
	}
}

func TestLikeQueriesAreLifted(t *testing.T) {
	for _, c := range []struct {
		learned, query string
		want           float64 // likeness
	}{
		{"list the open issues", "list the open issues", 1},
		{"list the open issues", "ISSUES: open? List!", 1},
		{"plan b for 2027", "plan c of 2028", 1},
		{"createPullRequest", "create a pull request", 1},
		{"read a text file", "read file", 2.0 / 3},
		{"read a text file", "read the text in a file of mine on disk", 3.0 / 5},
		{"read a text file", "read mail", 0},
		{"read a text file", "a b c", 0},
		{"create a label in the repository", "delete a label in the repository", 0},
		{"start docker container", "stop docker container", 0},
		{"find and replace text", "replace text", 2.0 / 3},
		{"文件", "文件", 1},
		{"Straße prüfen", "straße PRÜFEN", 1},
		{"lis éléments triés", "lis éléments", 2.0 / 3},
	} {
		d := newDesk(t)
		d.Asked("one", Answer{c.learned, keys("a")})
		d.Called("one", key("a"), true)
		got := 0.0
		for _, lift := range d.Lifts(c.query) {
			if got = lift.Strength / 0.5; lift.Like != c.learned || lift.Times != 1 || lift.Server != "s" || lift.Tool != "a" {
				t.Errorf("%q after %q: %+v", c.query, c.learned, lift)
			}
		}
		if math.Abs(got-c.want) > 1.0/steps {
			t.Errorf("%q after %q: likeness %f, want %f", c.query, c.learned, got, c.want)
		}
	}
}

// teach makes a query lead to a tool so many times, each in an hour of its own.
func (d *desk) teach(query, tool string, times int) {
	for range times {
		d.clock = d.clock.Add(time.Hour)
		d.Asked("teacher", Answer{query, keys(tool)})
		d.Called("teacher", key(tool), true)
	}
}

func (d *desk) strength(query, tool string) float64 {
	for _, lift := range d.Lifts(query) {
		if lift.Tool == tool {
			return lift.Strength
		}
	}
	return 0
}

func TestStrengthGrowsWithUseAndFades(t *testing.T) {
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		do       func(*desk)
		from, to float64
	}{
		"once":         {func(d *desk) { d.teach("read mail", "a", 1) }, 0.5, 0.5},
		"three times":  {func(d *desk) { d.teach("read mail", "a", 3) }, 0.79, 0.81},
		"often":        {func(d *desk) { d.teach("read mail", "a", 100) }, 0.999, 1},
		"a half-life":  {func(d *desk) { d.teach("read mail", "a", 1); d.clock = d.clock.Add(90 * day) }, 0.2499, 0.2501},
		"two of them":  {func(d *desk) { d.teach("read mail", "a", 100); d.clock = d.clock.Add(180 * day) }, 0.2499, 0.2501},
		"a clock back": {func(d *desk) { d.teach("read mail", "a", 1); d.clock = d.clock.Add(-90 * day) }, 0.5, 0.5},
		"too long ago": {func(d *desk) { d.teach("read mail", "a", 1); d.clock = d.clock.Add(600 * day) }, 0, 0},
		"a rival":      {func(d *desk) { d.teach("read mail", "a", 1); d.teach("read mail", "b", 4) }, 0.12, 0.13},
		"a weak rival": {func(d *desk) { d.teach("read mail", "a", 4); d.teach("read mail", "b", 1) }, 0.87, 0.88},
		"an old rival": {func(d *desk) {
			d.teach("read mail", "b", 8)
			d.clock = d.clock.Add(360 * day)
			d.teach("read mail", "a", 1)
		}, 0.49, 0.51},
		"one failure": {func(d *desk) { d.teach("read mail", "a", 1); d.play("wait 1h; ask read mail > a; fail a") }, 0.249, 0.251},
		"many failures": {func(d *desk) {
			d.teach("read mail", "a", 1)
			d.play(strings.Repeat("wait 1h; ask read mail > a; fail a;", 30) + "wait 1h")
		}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			c.do(d)
			if got := d.strength("read mail", "a"); got < c.from-1e-3 || got > c.to+1e-3 {
				t.Errorf("strength %f, want %f to %f", got, c.from, c.to)
			}
		})
	}
}

func TestTheStrongestLiftComesFirstAndEachToolOnce(t *testing.T) {
	d := newDesk(t)
	d.teach("read mail today", "a", 1)
	d.teach("read unread mail", "a", 2)
	d.teach("read mail", "b", 3)
	d.teach("read mail now", "a", 1)
	lifts := d.Lifts("read mail")
	if len(lifts) != 2 || lifts[0].Tool != "b" || lifts[1].Tool != "a" || lifts[1].Like != "read unread mail" || lifts[1].Times != 2 {
		t.Errorf("got %+v", lifts)
	}
}

func TestSwitchedOffNothingIsLiftedOrLearnedAndAllStays(t *testing.T) {
	d := newDesk(t)
	d.teach("read mail", "a", 1)
	d.Asked("one", Answer{"open door", keys("b")})
	if err := d.Switch(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	d.Asked("two", Answer{"paint wall", keys("c")})
	d.Called("two", key("c"), true)
	if d.Lifts("read mail") != nil || d.On() || d.learned() != "read mail=a 1" {
		t.Errorf("lifts %v, learned %s", d.Lifts("read mail"), d.learned())
	}
	if err := d.Switch(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if d.Called("one", key("b"), true); d.learned() != "read mail=a 1" { // asked before: no longer known
		t.Errorf("learned %s", d.learned())
	}
	if d.strength("read mail", "a") < 0.49 {
		t.Error("what was learned is not lifted again")
	}
}

func TestTheLaterDecisionHolds(t *testing.T) {
	d := newDesk(t)
	for _, c := range []struct {
		configured bool
		move       *bool // by a person, while it runs
		want       bool  // at the start
	}{
		{true, new(false), true},
		{true, nil, false},
		{false, nil, false},
		{true, nil, true},
		{false, new(true), false},
		{false, nil, true},
		{true, nil, true},
		{false, nil, false},
	} {
		if d.open(c.configured); d.On() != c.want {
			t.Fatalf("%+v: it is %v", c, d.On())
		}
		if c.move != nil {
			if err := d.Switch(t.Context(), *c.move); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestWhatIsForgottenIsGone(t *testing.T) {
	d := newDesk(t)
	d.teach("read mail", "a", 1)
	d.teach("open door", "b", 1)
	d.Asked("one", Answer{"third thing", keys("c")})
	d.stored()
	if err := d.Forget(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if err := d.Forget(t.Context(), 1); fault.KindOf(err) != fault.NotFound {
		t.Errorf("twice: %v", err)
	}
	if got := d.learned(); got != "open door=b 1" || len(d.stored()) != 1 || d.Lifts("read mail") != nil {
		t.Errorf("left is %s; stored are %v", got, d.kept.pairs)
	}
	if err := d.ForgetAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.Called("one", key("c"), true) // its question is forgotten, too
	if got := d.learned(); got != "" || len(d.stored()) != 0 || d.Count() != 0 {
		t.Errorf("left is %s; stored are %v", got, d.kept.pairs)
	}
	if d.teach("new thing", "a", 1); d.All()[0].ID != 3 {
		t.Errorf("an id was given twice: %+v", d.All())
	}
	d.stored()
	if err := d.ForgetAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.open(true)
	if d.teach("new thing", "a", 1); d.All()[0].ID != 4 {
		t.Errorf("an id was given twice: %+v", d.All())
	}
}

func TestARemovedServerIsForgotten(t *testing.T) {
	d := newDesk(t)
	d.teach("read mail", "a", 1)
	d.Asked("one", Answer{"read mail", []catalog.Key{{Server: "t", Tool: "a"}}})
	d.Called("one", catalog.Key{Server: "t", Tool: "a"}, true)
	if err := d.ForgetServer(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if lifts := d.Lifts("read mail"); len(lifts) != 1 || lifts[0].Server != "t" {
		t.Errorf("got %+v", lifts)
	}
	if err := d.ForgetServer(t.Context(), "nobody"); err != nil {
		t.Error(err)
	}
}

func TestWhatTheStoreDoesNotTakeIsTriedAgain(t *testing.T) {
	d := newDesk(t)
	d.teach("read mail", "a", 1)
	d.kept.broken = true
	d.write(t.Context())
	for name, err := range map[string]error{
		"forget": d.Forget(t.Context(), 1), "forget all": d.ForgetAll(t.Context()), "switch": d.Switch(t.Context(), false),
	} {
		if err == nil {
			t.Errorf("%s went well", name)
		}
	}
	if d.learned() != "read mail=a 1" || !d.On() {
		t.Errorf("memory is ahead of the store: %s", d.learned())
	}
	d.kept.broken = false
	if d.stored(); len(d.kept.pairs) != 1 {
		t.Error("it was not tried again")
	}
}

func TestAFullMemoryDropsWhatWasOfNoUseForLongest(t *testing.T) {
	d := newDesk(t)
	query := func(i int) string {
		return strings.NewReplacer("0", "x", "1", "y").Replace(fmt.Sprintf("thing w%b", i))
	}
	teach := func(i int) {
		d.clock = d.clock.Add(11 * time.Second)
		d.Asked("one", Answer{query(i), keys("a")})
		d.Called("one", key("a"), true)
	}
	for i := range maxPairs {
		teach(i)
	}
	teach(0) // it is of use again
	for i := range 3 {
		teach(maxPairs + i)
	}
	if d.Count() != maxPairs || len(d.stored()) != maxPairs {
		t.Errorf("%d pairs, %d stored", d.Count(), len(d.kept.pairs))
	}
	for i, want := range map[int]bool{0: true, 1: false, 2: false, 3: false, 4: true, maxPairs - 1: true, maxPairs + 2: true} {
		if got := d.strength(query(i), "a") > 0; got != want {
			t.Errorf("query %d is remembered: %v", i, got)
		}
	}
}

func TestOneQueryIsRememberedWithItsLastTools(t *testing.T) {
	d := newDesk(t)
	for i := range maxTools + 2 {
		d.teach("one need", fmt.Sprint("t", i), 1)
	}
	if d.Count() != maxTools || len(d.stored()) != maxTools || d.strength("one need", "t1") != 0 || d.strength("one need", "t2") == 0 {
		t.Errorf("learned %s", d.learned())
	}
}

func TestWhatIsOldGoes(t *testing.T) {
	d := newDesk(t)
	d.teach("read mail", "a", 1)
	d.clock = d.clock.Add(life - time.Hour)
	d.teach("open door", "b", 1)
	d.clock = d.clock.Add(2 * time.Hour)
	if d.tidy(); d.learned() != "open door=b 1" || len(d.stored()) != 1 || len(d.gone) != 0 {
		t.Errorf("left is %s", d.learned())
	}
}

func TestSessionsAreBounded(t *testing.T) {
	d := newDesk(t)
	for i := range maxSessions + 10 {
		d.clock = d.clock.Add(time.Millisecond)
		d.Asked(fmt.Sprint(i), Answer{"read mail", keys("a")})
	}
	d.Called("0", key("a"), true)
	if len(d.sessions) != maxSessions || d.learned() != "" {
		t.Errorf("%d sessions, learned %s", len(d.sessions), d.learned())
	}
	if d.Called(fmt.Sprint(maxSessions), key("a"), true); d.learned() == "" {
		t.Error("a late session teaches nothing")
	}
}

func TestAHostileQueryIsCutAndHarmsNothing(t *testing.T) {
	for name, query := range map[string]string{
		"long words": strings.Repeat("x", 10_000), "many words": strings.Repeat("ab cd ", 1_700) + "end",
		"no text": strings.Repeat("\x00\xff\u202e", 2_500), "one letter": strings.Repeat("a ", 5_000), "marks": "a" + strings.Repeat("\u0301", 5_000),
		"words": func() string {
			var b strings.Builder
			for i := range 2_000 {
				fmt.Fprintf(&b, "w%c%c%c ", 'a'+i%26, 'a'+i/26%26, 'a'+i/676)
			}
			return b.String()
		}(),
		"quotes": `'; DROP TABLE learned; -- "` + strings.Repeat("\n\t", 5_000),
	} {
		d := newDesk(t)
		d.Asked("one", Answer{query, keys("a")})
		d.Called("one", key("a"), true)
		d.Lifts(query)
		for _, l := range d.All() {
			if n := len([]rune(l.Query)); n > maxText || strings.ContainsAny(l.Query, "\n\t") {
				t.Errorf("%s: %d characters are kept: %q", name, n, l.Query)
			}
			if lifts := d.Lifts(query); len(lifts) != 1 || lifts[0].Strength != 0.5 {
				t.Errorf("%s: the same query gets %+v", name, lifts)
			}
			again := &desk{t: t, kept: &kept{pairs: d.stored()}, clock: d.clock}
			if again.open(true); len(again.Lifts(query)) != 1 || again.Lifts(query)[0].Strength != 0.5 {
				t.Errorf("%s: after a restart it gets %+v", name, again.Lifts(query))
			}
		}
	}
}

func TestQueriesAreCoveredBeforeTheyAreKept(t *testing.T) {
	d := newDesk(t)
	d.Cover = func(text string, n int) (string, bool) {
		return strings.ReplaceAll(text, "swordfish", "[redacted]"), false
	}
	d.teach("log in with swordfish", "a", 1)
	if got := d.learned(); got != "log in with [redacted]=a 1" {
		t.Errorf("learned %s", got)
	}
	if got := d.Lifts("log in with swordfish"); len(got) != 1 || got[0].Strength != 0.5 || strings.Contains(fmt.Sprint(got), "swordfish") {
		t.Errorf("got %+v", got)
	}
}

func TestManyLearnAndAskAtOnce(t *testing.T) {
	d := newDesk(t)
	changes, stop := events.Subscribe[Changed](d.Bus, 100_000)
	defer stop()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			session := fmt.Sprint(i)
			for j := range 300 {
				query := fmt.Sprintf("need %c%c of many", 'a'+j%26, 'a'+i)
				d.Asked(session, Answer{query, keys("a b c")})
				d.Lifts(query)
				d.Called(session, key("b"), j%5 != 0)
				switch j % 50 {
				case 10:
					_ = d.Forget(ctx, int64(j)) // another may have been first
				case 20:
					_ = d.ForgetServer(ctx, "other")
				case 30:
					_ = d.Switch(ctx, true)
				case 40:
					d.All()
				}
			}
			if i == 0 {
				_ = d.ForgetAll(ctx)
			}
		})
	}
	all.Wait()
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if len(changes) == 0 {
		t.Error("nobody was told")
	}
	stored := d.kept.pairs
	if d.Count() != len(stored) {
		t.Errorf("%d pairs, %d stored", d.Count(), len(stored))
	}
	for _, l := range d.All() {
		if stored[l.ID] != l.Pair {
			t.Errorf("stored is %+v of %+v", stored[l.ID], l.Pair)
		}
	}
}
