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
	stop() // twice does no harm
	if _, open := <-pings; open {
		t.Error("the channel is open after stop")
	}
	Publish(&bus, ping{3})
}

func TestASlowSubscriberIsDroppedAndTheOthersAreNot(t *testing.T) {
	var bus Bus
	slow, _ := Subscribe[ping](&bus, 1)
	quick, stop := Subscribe[ping](&bus, 4)
	defer stop()
	for i := range 3 {
		Publish(&bus, ping{i})
	}
	if first, open := <-slow; !open || first.n != 0 {
		t.Errorf("the slow one got %v, %v", first, open)
	}
	if _, open := <-slow; open {
		t.Error("the slow one was not dropped")
	}
	if len(quick) != 3 {
		t.Errorf("the quick one got %d of 3", len(quick))
	}
}

func TestSubscribersAreSeenWhileTheyAreThere(t *testing.T) {
	var bus Bus
	_, stop := Subscribe[ping](&bus, 1)
	if !HasSubscribers[ping](&bus) || HasSubscribers[string](&bus) {
		t.Error("one waits for pings, and none for strings")
	}
	stop()
	if HasSubscribers[ping](&bus) {
		t.Error("one that has stopped is still seen")
	}
}

func TestASignalStandsForAllThatCameSince(t *testing.T) {
	var bus Bus
	signal := make(chan struct{}, 1)
	stopPings, stopTexts := Signal[ping](&bus, signal), Signal[string](&bus, signal)
	defer stopTexts()
	for i := range 10_000 { // it is never behind
		Publish(&bus, ping{i})
	}
	<-signal
	if len(signal) != 0 {
		t.Error("there is a second token")
	}
	Publish(&bus, "x")
	<-signal
	stopPings()
	stopPings() // twice does no harm
	Publish(&bus, ping{1})
	if len(signal) != 0 {
		t.Error("there is a token after stop")
	}
}
