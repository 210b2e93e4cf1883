package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/doors/gateway"
)

func TestClientsAreUpdated(t *testing.T) {
	s, _ := openStore(t)
	first := gateway.SeenClient{Name: "zed \u202e'; DROP TABLE clients", Version: "1", First: began, Last: began, Listed: 10, Whole: 90}
	later := first
	later.Version, later.First, later.Last, later.Listed, later.Whole = "2", began.Add(time.Hour), began.Add(time.Hour), 30, 70
	for _, c := range []gateway.SeenClient{first, later} {
		if err := s.Clients.KeepClient(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	later.First = began
	got, err := s.Clients.Clients(t.Context())
	if err != nil || !slices.Equal(got, []gateway.SeenClient{later}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestTheNumberOfClientsIsLimited(t *testing.T) {
	s, _ := openStore(t)
	for i := range maxClients + 3 {
		at := began.Add(time.Duration(i) * time.Second)
		if err := s.Clients.KeepClient(t.Context(), gateway.SeenClient{Name: fmt.Sprint("client ", i), First: at, Last: at}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Clients.Clients(t.Context())
	if err != nil || len(got) != maxClients {
		t.Fatalf("got %d clients, %v", len(got), err)
	}
	for _, c := range got {
		if c.Last.Before(began.Add(3 * time.Second)) {
			t.Errorf("%s was not deleted", c.Name)
		}
	}
}
