package federation

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// details returns a source with one server.
func details(name string, d listing.Details, err error) Source {
	return Source{Name: name, Get: func(_ context.Context, wanted string) (listing.Details, error) {
		if err == nil && wanted != d.Name {
			return d, fault.New(fault.NotFound, "there is no %s", wanted)
		}
		return d, err
	}}
}

func TestDetailsOfAnEntryHaveTheReadmeOfItsPackage(t *testing.T) {
	entry := official("io.github.a/x", "Entry", listing.Package{Kind: listing.KindOCI, Identifier: "a/x:1"},
		listing.Package{Kind: listing.KindNPM, Identifier: "x-mcp", Env: []listing.Field{{Name: "KEY"}}})
	own := listing.Details{Listing: npmListing("x-mcp", "Package"), Readme: "# X", Server: true}
	own.License = "MIT"
	first := details("official", listing.Details{Listing: entry, Server: true}, nil)
	d, err := New(Options{Sources: []Source{first, details("npm", own, nil)}}).Get(t.Context(), "official:io.github.a/x")
	if err != nil || d.Readme != "# X" || d.License != "MIT" || d.Description != "Entry" || len(d.IDs) != 2 || d.IDs[1] != "npm:x-mcp" ||
		len(d.Packages[1].Env) != 1 || d.ID() != "official:io.github.a/x" {
		t.Errorf("got %+v, %v", d, err)
	}
	d, err = New(Options{Sources: []Source{first, details("npm", own, errors.New("offline"))}}).Get(t.Context(), "official:io.github.a/x")
	if err != nil || d.Readme != "" || d.Description != "Entry" || len(d.IDs) != 1 {
		t.Errorf("without npm: got %+v, %v", d, err)
	}
	entry.Packages[1].BaseURL = "https://other.example"
	d, err = New(Options{
		Sources: []Source{details("official", listing.Details{Listing: entry}, nil), details("npm", own, nil)},
	}).Get(t.Context(), "official:io.github.a/x")
	if err != nil || d.Readme != "" {
		t.Errorf("with a package from elsewhere: got %+v, %v", d, err)
	}
}

func TestDetailsDoNotWaitLongForAReadme(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := Source{Name: "npm", Get: func(ctx context.Context, _ string) (listing.Details, error) {
			<-ctx.Done()
			return listing.Details{}, ctx.Err()
		}}
		entry := official("io.github.a/x", "Entry", listing.Package{Kind: listing.KindNPM, Identifier: "x-mcp"})
		began := time.Now()
		d, err := New(Options{Sources: []Source{details("official", listing.Details{Listing: entry}, nil), slow}}).Get(t.Context(),
			"official:io.github.a/x")
		if err != nil || d.Description != "Entry" || time.Since(began) != readmeTime {
			t.Errorf("after %s: got %+v, %v", time.Since(began), d, err)
		}
	})
}

func TestUnknownIDsAreNotFound(t *testing.T) {
	f := New(Options{Sources: []Source{details("npm", listing.Details{Listing: npmListing("x", "x")}, nil), {Name: "pypi"}}})
	for _, id := range []string{"", "x", "npm:", ":x", "other:x", "pypi:x", "npm:y", "npm:$(id)", "\u202e:x"} {
		if d, err := f.Get(t.Context(), id); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%q: got %+v, %v", id, d, err)
		}
	}
}
