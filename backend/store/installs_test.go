package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

func TestVersionsOfInstalledServersAreKeptUntilTheServerIsRemoved(t *testing.T) {
	s, _ := openStore(t)
	save := func(server int64, name string, version int) {
		t.Helper()
		err := s.Installs.SaveInstall(t.Context(), installer.Install{
			Server: server, Listing: listing.Listing{Source: listing.NPM, Name: name},
			Version: fmt.Sprint(version), Hash: "h", At: time.Now(),
			Answers: map[string][]string{"a": {"b"}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(server int64, want string) {
		t.Helper()
		all, err := s.Installs.Installs(t.Context(), server)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, i := range all {
			got += fmt.Sprint(i.Server, i.Listing.Name, i.Version)
			if i.Current {
				got += "*"
			}
			got += " "
			if i.Answers["a"][0] != "b" || i.Hash != "h" || i.ID == 0 {
				t.Errorf("got %+v", i)
			}
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	var ids []int64
	for _, name := range []string{"one", "two"} {
		id, err := s.Servers.InsertServer(t.Context(), registry.Server{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	save(ids[0], "x", 1)
	save(ids[1], "y", 1)
	save(ids[0], "x", 2)
	check(ids[0], "1x2* 1x1 ")
	check(0, "1x2* 2y1* ")
	for version := range maxVersions {
		save(ids[1], "y", version+2)
	}
	if all, err := s.Installs.Installs(t.Context(), ids[1]); err != nil || len(all) != maxVersions ||
		all[0].Version != fmt.Sprint(maxVersions+1) {
		t.Errorf("kept %d versions, %v", len(all), err)
	}
	if err := s.Servers.DeleteServer(t.Context(), ids[1]); err != nil {
		t.Fatal(err)
	}
	check(ids[1], "")
	check(0, "1x2* ")
}
