package learning

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

func TestSimilarQueriesAreLifted(t *testing.T) {
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
		d := newFixture(t)
		d.Asked("one", Answer{c.learned, keys("a")})
		d.Called("one", key("a"), true)
		got := 0.0
		for _, lift := range d.Lifts(c.query) {
			if got = lift.Strength / 0.5; lift.Like != c.learned || lift.Times != 1 || lift.Server != "s" || lift.Tool != "a" {
				t.Errorf("%q after %q: %+v", c.query, c.learned, lift)
			}
		}
		if math.Abs(got-c.want) > 1.0/gradeSteps {
			t.Errorf("%q after %q: likeness %f, want %f", c.query, c.learned, got, c.want)
		}
	}
}

func TestStrengthGrowsWithUseAndFades(t *testing.T) {
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		do       func(*fixture)
		from, to float64
	}{
		"once":          {func(d *fixture) { d.teach("read mail", "a", 1) }, 0.5, 0.5},
		"three times":   {func(d *fixture) { d.teach("read mail", "a", 3) }, 0.79, 0.81},
		"often":         {func(d *fixture) { d.teach("read mail", "a", 100) }, 0.999, 1},
		"a half-maxAge": {func(d *fixture) { d.teach("read mail", "a", 1); d.clock = d.clock.Add(90 * day) }, 0.2499, 0.2501},
		"two half-lives": {
			func(d *fixture) { d.teach("read mail", "a", 100); d.clock = d.clock.Add(180 * day) }, 0.2499, 0.2501,
		},
		"a clock that was set back": {func(d *fixture) { d.teach("read mail", "a", 1); d.clock = d.clock.Add(-90 * day) }, 0.5, 0.5},
		"after 600 days":            {func(d *fixture) { d.teach("read mail", "a", 1); d.clock = d.clock.Add(600 * day) }, 0, 0},
		"a rival":                   {func(d *fixture) { d.teach("read mail", "a", 1); d.teach("read mail", "b", 4) }, 0.12, 0.13},
		"a weak rival":              {func(d *fixture) { d.teach("read mail", "a", 4); d.teach("read mail", "b", 1) }, 0.87, 0.88},
		"an old rival": {func(d *fixture) {
			d.teach("read mail", "b", 8)
			d.clock = d.clock.Add(360 * day)
			d.teach("read mail", "a", 1)
		}, 0.49, 0.51},
		"one failure": {func(d *fixture) { d.teach("read mail", "a", 1); d.play("wait 1h; ask read mail > a; fail a") }, 0.249, 0.251},
		"many failures": {func(d *fixture) {
			d.teach("read mail", "a", 1)
			d.play(strings.Repeat("wait 1h; ask read mail > a; fail a;", 30) + "wait 1h")
		}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFixture(t)
			c.do(d)
			if got := d.strength("read mail", "a"); got < c.from-1e-3 || got > c.to+1e-3 {
				t.Errorf("strength %f, want %f to %f", got, c.from, c.to)
			}
		})
	}
}

func TestLiftsAreSortedAndListEachToolOnce(t *testing.T) {
	d := newFixture(t)
	d.teach("read mail today", "a", 1)
	d.teach("read unread mail", "a", 2)
	d.teach("read mail", "b", 3)
	d.teach("read mail now", "a", 1)
	lifts := d.Lifts("read mail")
	if len(lifts) != 2 || lifts[0].Tool != "b" || lifts[1].Tool != "a" || lifts[1].Like != "read unread mail" || lifts[1].Times != 2 {
		t.Errorf("got %+v", lifts)
	}
}

func TestAFullMemoryDropsTheLeastRecentlyUsedPair(t *testing.T) {
	d := newFixture(t)
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
	teach(0) // the oldest pair is used again
	for i := range 3 {
		teach(maxPairs + i)
	}
	if d.Count() != maxPairs || len(d.stored()) != maxPairs {
		t.Errorf("got %d pairs and %d stored ones, want %d", d.Count(), len(d.store.pairs), maxPairs)
	}
	for i, want := range map[int]bool{0: true, 1: false, 2: false, 3: false, 4: true, maxPairs - 1: true, maxPairs + 2: true} {
		if got := d.strength(query(i), "a") > 0; got != want {
			t.Errorf("query %d is lifted: %v, want %v", i, got, want)
		}
	}
}

func TestTheNumberOfToolsPerQueryIsLimited(t *testing.T) {
	d := newFixture(t)
	for i := range maxTools + 2 {
		d.teach("one need", fmt.Sprint("t", i), 1)
	}
	if d.Count() != maxTools || len(d.stored()) != maxTools || d.strength("one need", "t1") != 0 || d.strength("one need", "t2") == 0 {
		t.Errorf("learned %s", d.learned())
	}
}

func TestOldPairsAreDropped(t *testing.T) {
	d := newFixture(t)
	d.teach("read mail", "a", 1)
	d.clock = d.clock.Add(maxAge - time.Hour)
	d.teach("open door", "b", 1)
	d.clock = d.clock.Add(2 * time.Hour)
	d.expired = func(age time.Duration) time.Time { return d.clock.Add(-3 * time.Hour).Add(-age) }
	if d.tidy(); d.Count() != 2 {
		t.Errorf("the clock has jumped, and the remaining pairs are %s", d.learned())
	}
	d.expired = func(age time.Duration) time.Time { return d.clock.Add(-age) }
	if d.tidy(); d.learned() != "open door=b 1" || len(d.stored()) != 1 || len(d.deleted) != 0 {
		t.Errorf("remaining pairs: %s", d.learned())
	}
}
