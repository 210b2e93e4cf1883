package events

import "testing"

type ping struct{ n int }

func TestEventsReachSubscribersOfTheirType(t *testing.T) {
	var bus Bus
	pings, stop := Subscribe[ping](&bus, 2)
	others, stopOthers := Subscribe[string](&bus, 1)
	defer stopOthers()
	Publish(&bus, ping{1})
	Publish(&bus, ping{2})
	if a, b := <-pings, <-pings; a.n != 1 || b.n != 2 {
		t.Errorf("got %v, %v", a, b)
	}
	if len(others) != 0 {
		t.Error("an event reached a subscriber of another type")
	}
	stop()
	stop() // a second call must not panic
	if _, open := <-pings; open {
		t.Error("the channel is open after stop")
	}
	Publish(&bus, ping{3})
}

func TestOnlySlowSubscribersAreDropped(t *testing.T) {
	var bus Bus
	slow, _ := Subscribe[ping](&bus, 1)
	quick, stop := Subscribe[ping](&bus, 4)
	defer stop()
	for i := range 3 {
		Publish(&bus, ping{i})
	}
	if first, open := <-slow; !open || first.n != 0 {
		t.Errorf("the slow subscriber received %v, %v", first, open)
	}
	if _, open := <-slow; open {
		t.Error("the slow subscriber was not dropped")
	}
	if len(quick) != 3 {
		t.Errorf("the fast subscriber has %d of 3 events", len(quick))
	}
}

func TestHasSubscribersFollowsSubscriptions(t *testing.T) {
	var bus Bus
	_, stop := Subscribe[ping](&bus, 1)
	if !HasSubscribers[ping](&bus) || HasSubscribers[string](&bus) {
		t.Error("want subscribers for pings and none for strings")
	}
	stop()
	if HasSubscribers[ping](&bus) {
		t.Error("HasSubscribers is true after stop")
	}
}

func TestOneSignalStandsForManyEvents(t *testing.T) {
	var bus Bus
	signal := make(chan struct{}, 1)
	stopPings, stopTexts := Signal[ping](&bus, signal), Signal[string](&bus, signal)
	defer stopTexts()
	for i := range 10_000 {
		Publish(&bus, ping{i})
	}
	<-signal
	if len(signal) != 0 {
		t.Error("a second token was sent")
	}
	Publish(&bus, "x")
	<-signal
	stopPings()
	stopPings() // a second call must not panic
	Publish(&bus, ping{1})
	if len(signal) != 0 {
		t.Error("a token was sent after stop")
	}
}
