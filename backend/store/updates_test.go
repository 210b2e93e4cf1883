package store

import (
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/updates"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

func TestTheLatestVersionsAreKeptUntilTheServerIsRemoved(t *testing.T) {
	s, _ := openStore(t)
	id, err := s.Servers.InsertServer(t.Context(), registry.Server{Name: "one"})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().UTC().Truncate(time.Millisecond)
	for _, version := range []string{"1.0.0", "1.1.0"} {
		for _, server := range []int64{id, id + 1} { // there is no server with the second id
			if err := s.Installs.SaveLatest(t.Context(), server, updates.Latest{Version: version, Checked: at}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if all, err := s.Installs.Latests(t.Context()); err != nil || len(all) != 1 || all[id].Version != "1.1.0" ||
		!all[id].Checked.Equal(at) {
		t.Errorf("got %+v, %v", all, err)
	}
	if err := s.Servers.DeleteServer(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if all, err := s.Installs.Latests(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("got %+v, %v", all, err)
	}
}

func TestAServerReturnsToAFormerVersion(t *testing.T) {
	s, _ := openStore(t)
	id, err := s.Servers.InsertServer(t.Context(), registry.Server{Name: "one"})
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"1", "2", "3"} {
		if err := s.Installs.SaveInstall(t.Context(), installer.Install{
			Server: id, Version: version, Configured: installer.Configured{Args: []string{version}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := s.Installs.Installs(t.Context(), id)
	if err != nil || len(all) != 3 {
		t.Fatalf("got %+v, %v", all, err)
	}
	if err := s.Installs.ReturnTo(t.Context(), id, all[1].ID); err != nil {
		t.Fatal(err)
	}
	if all, err = s.Installs.Installs(t.Context(), id); err != nil || len(all) != 2 || all[0].Version != "2" || !all[0].Current ||
		all[1].Current || all[0].Configured.Args[0] != "2" {
		t.Errorf("got %+v, %v", all, err)
	}
}

func TestLeftoversAreKeptUntilTheyAreDropped(t *testing.T) {
	s, _ := openStore(t)
	var ids []int64
	for _, path := range []string{"/a", "/b", "/c"} {
		id, err := s.Installs.SaveLeftover(t.Context(), installer.Leftover{Kind: installer.LeftFolder, Path: path})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if err := s.Installs.DropLeftovers(t.Context(), ids[1:2]); err != nil {
		t.Fatal(err)
	}
	all, err := s.Installs.Leftovers(t.Context())
	if err != nil || len(all) != 2 || all[0].Path != "/c" || all[0].ID != ids[2] || all[1].Path != "/a" {
		t.Errorf("got %+v, %v", all, err)
	}
}
