package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// callAll calls, on each field of a store, all methods that have an error as their last result. Lists in the
// arguments have one element. callAll returns the errors by field and method.
func callAll(t *testing.T, s *Store) map[string]error {
	t.Helper()
	failure := reflect.TypeFor[error]()
	errs := make(map[string]error)
	for field, part := range reflect.ValueOf(s).Elem().Fields() {
		if !field.IsExported() {
			continue
		}
		for i := range part.NumMethod() {
			name, method := field.Name+"."+part.Type().Method(i).Name, part.Method(i).Type()
			last := method.NumOut() - 1
			if last < 0 || method.Out(last) != failure {
				continue
			}
			var args []reflect.Value
			for j := range method.NumIn() {
				args = append(args, sample(t, method.In(j)))
			}
			err, _ := part.Method(i).Call(args)[last].Interface().(error)
			errs[name] = err
		}
	}
	if len(errs) < 80 {
		t.Fatalf("found only %d methods", len(errs))
	}
	return errs
}

// sample returns an argument of the given type for a method of the store. A slice or map has one element, so that
// the method has something to do.
func sample(t *testing.T, of reflect.Type) reflect.Value {
	t.Helper()
	switch v := reflect.New(of).Elem(); of.Kind() {
	case reflect.Interface:
		return reflect.ValueOf(t.Context())
	case reflect.String:
		return reflect.ValueOf("x").Convert(of)
	case reflect.Int: // a limit
		return reflect.ValueOf(1).Convert(of)
	case reflect.Pointer:
		return reflect.New(of.Elem())
	case reflect.Slice:
		return reflect.Append(v, sample(t, of.Elem()))
	case reflect.Map:
		m := reflect.MakeMap(of)
		m.SetMapIndex(reflect.New(of.Key()).Elem(), reflect.New(of.Elem()).Elem())
		return m
	case reflect.Func:
		return reflect.MakeFunc(of, func([]reflect.Value) []reflect.Value { return nil })
	case reflect.Struct:
		if limit := v.FieldByName("Limit"); limit.IsValid() {
			limit.SetInt(1)
		}
		return v
	default:
		return v
	}
}

// wantAdvice fails the test unless an error has a message for users with these
// words.
func wantAdvice(t *testing.T, what string, err error, words ...string) {
	t.Helper()
	message := fault.MessageOf(err)
	for _, word := range words {
		if !strings.Contains(message, word) {
			t.Errorf("%s: the message lacks %q: %s (%v)", what, word, message, err)
		}
	}
}

func TestEveryMethodSaysThatTheDatabaseIsDamaged(t *testing.T) {
	s, file := openStore(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	overwriteTables(t, file, func(table string) bool { return table != "goose_db_version" })
	s, err := Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	// Scrub only empties the write-ahead log, and Shrink looks at the size of the file first.
	tableless := []string{"Servers.Scrub", "Calls.Shrink"}
	for name, err := range callAll(t, s) {
		if err == nil && !slices.Contains(tableless, name) {
			t.Errorf("%s: no error", name)
		} else if err != nil {
			wantAdvice(t, name, err, file, "is damaged", "nothing was changed", "agent-discover doctor --repair")
		}
	}
}

// overwriteTables overwrites the first page of the chosen tables of a closed
// database, and of their indexes.
func overwriteTables(t *testing.T, file string, chosen func(table string) bool) {
	t.Helper()
	db, err := openRaw(file)
	if err != nil {
		t.Fatal(err)
	}
	var size int64
	if err := db.QueryRow("PRAGMA page_size").Scan(&size); err != nil {
		t.Fatal(err)
	}
	found, err := db.Query("SELECT tbl_name, rootpage FROM sqlite_schema WHERE rootpage > 0")
	if err != nil {
		t.Fatal(err)
	}
	var pages []int64
	for found.Next() {
		var table string
		var page int64
		if err := found.Scan(&table, &page); err != nil {
			t.Fatal(err)
		}
		if chosen(table) {
			pages = append(pages, page)
		}
	}
	if err := db.Close(); err != nil || len(pages) == 0 {
		t.Fatal(err, pages)
	}
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if _, err := f.WriteAt(slices.Repeat([]byte{0xff}, int(size)), (page-1)*size); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// changes are the methods that change the database when callAll calls them.
var changes = []string{
	"Answers.DeleteAnswer", "Answers.ForgetAnswers", "Answers.SaveAnswer",
	"Audit.AppendAudit", "Audit.DeleteAudit", "Calls.AppendRecords", "Calls.DeleteRecords", "Calls.DeleteTallies",
	"Clients.KeepClient", "Credentials.AddCredential", "Credentials.DeleteCredential", "Credentials.MarkUsed",
	"Features.SetFeatures",
	"Installs.DropLeftovers", "Installs.ReturnTo", "Installs.SaveInstall", "Installs.SaveLatest", "Installs.SaveLeftover",
	"Learning.EraseLearned", "Learning.KeepLearned", "Learning.KeepLearningSwitch",
	"Mirror.ChangeMirror", "MirrorVectors.KeepVectors", "MirrorVectors.TidyVectors",
	"Personas.DeletePersona", "Personas.SavePersona", "Presets.AddPreset", "Presets.DeletePreset", "Presets.SavePreset",
	"Probes.SaveProbe", "Renames.Rename", "Renames.Renamed", "Secrets.DropSecrets",
	"Secrets.MarkSecret", "Secrets.PutSecret", "Secrets.PutSecretLink",
	"Secrets.RemoveDropped", "Secrets.RemoveSecretLink", "Servers.Compact", "Servers.DeleteServer", "Servers.InsertServer",
	"Servers.UpdateServer", "SessionTools.ForgetSessionTools", "SessionTools.SaveSessionTools",
	"Slugs.SaveSlug", "ToolApprovals.DeleteToolApproval", "ToolApprovals.SaveToolApproval",
	"ToolVectors.KeepVectors", "ToolVectors.TidyVectors", "Tools.ReplaceTools", "Tools.SetTokens",
	"Toolsets.DeleteEquipped", "Toolsets.DeleteToolset", "Toolsets.SaveEquipped", "Toolsets.SaveToolset",
	"Trust.ForgetTrust", "Trust.SaveTrust",
}

func TestEveryChangeSaysThatTheDatabaseIsLocked(t *testing.T) {
	s, file := openStore(t)
	s.db.write.wait = 0
	other, err := open(file, "rw", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	if _, err := other.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	errs := callAll(t, s)
	for _, name := range changes {
		wantAdvice(t, name, errs[name], file, "in use by another program, which has locked it", "close that program and try again")
		delete(errs, name)
	}
	for name, err := range errs {
		if err != nil {
			t.Errorf("%s needs no lock but failed: %v", name, err)
		}
	}
}

func TestAChangeWaitsUntilAnotherProgramHasFinished(t *testing.T) {
	s, file := openStore(t)
	other, err := open(file, "rw", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	if _, err := other.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	tried := 0
	err = s.db.write.patiently(t.Context(), func() error {
		if tried++; tried == 2 {
			if _, err := other.Exec("COMMIT"); err != nil {
				return err
			}
		}
		_, err := s.db.write.db.Exec("DELETE FROM calls")
		return err
	})
	if err != nil || tried != 2 {
		t.Errorf("tried %d times, %v", tried, err)
	}
}

func TestEveryChangeSaysThatTheDatabaseIsReadOnly(t *testing.T) {
	s, file := openStore(t)
	if _, err := s.db.write.db.Exec("PRAGMA query_only(1)"); err != nil {
		t.Fatal(err)
	}
	errs := callAll(t, s)
	for _, name := range changes {
		wantAdvice(t, name, errs[name], file, "read and write access")
	}
}

func TestAChangeSaysThatThereIsNoSpaceAndChangesNothing(t *testing.T) {
	s, file := openStore(t)
	if _, err := s.db.write.db.Exec("PRAGMA max_page_count(1)"); err != nil { // no more pages than now
		t.Fatal(err)
	}
	insert := func() error {
		_, err := s.Servers.InsertServer(t.Context(), registry.Server{Name: "one", Description: strings.Repeat("long ", 10_000)})
		return err
	}
	wantAdvice(t, "InsertServer", insert(), file, "no space left", "nothing was changed", "Free space")
	if servers, err := s.Servers.Servers(t.Context()); err != nil || len(servers) != 0 {
		t.Errorf("the database has %v, %v", servers, err)
	}
	if _, err := s.db.write.db.Exec("PRAGMA max_page_count(1000000)"); err != nil {
		t.Fatal(err)
	}
	if err := insert(); err != nil {
		t.Errorf("once there is space: %v", err)
	}
}

func TestErrorsOfTheCallerStayWhatTheyAre(t *testing.T) {
	s, _ := openStore(t)
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := s.Servers.InsertServer(ended, registry.Server{}); err == nil || strings.Contains(err.Error(), "in use") {
		t.Errorf("got %v", err)
	}
	own := fault.New(fault.Invalid, "of the caller")
	err := s.db.change(t.Context(), func(*sql.Tx) error { return fmt.Errorf("in between: %w", own) })
	if fault.MessageOf(err) != "of the caller" {
		t.Errorf("got %v", err)
	}
}

func TestAFolderInPlaceOfTheDatabaseIsExplained(t *testing.T) {
	file := filepath.Join(t.TempDir(), "discover.db")
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), file)
	wantAdvice(t, "Open", err, file, "directory")
}
