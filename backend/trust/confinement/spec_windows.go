package confinement

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// contained is what the helper needs to start a program in an app container. The hub passes it as JSON in a file that
// only the user can read, because arguments of a process are visible to others and the environment may contain secrets.
type contained struct {
	Version int      `json:"version"` // containedVersion
	Moniker string   `json:"moniker"` // name of the container
	Path    string   `json:"path"`    // of the program
	Line    string   `json:"line"`    // its command line
	Dir     string   `json:"dir"`     // the folder in which it starts
	Env     [][]byte `json:"env"`     // its whole environment; bytes, because a variable need not be valid UTF-16
	Access  []access `json:"access"`  // what the access lists of files give the container
	Record  string   `json:"record"`  // the file that lists what they gave it before
	Network bool     `json:"network"` // whether the program reaches other machines
}

// containedVersion changes with the meaning of a contained.
const containedVersion = 1

// Files beside the own folders of servers. No server can have their names.
const (
	specPrefix   = "appcontainer__"
	recordPrefix = "access__"
)

// forgottenAfter is the age at which the spec of a helper that never ran is deleted.
const forgottenAfter = 10 * time.Minute

// writeSpec writes a spec into a file with a random name in a folder. The helper deletes the file.
func writeSpec(folder string, c contained) (path string, err error) {
	text, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	removeForgotten(folder)
	path = filepath.Join(folder, specPrefix+rand.Text()+".json")
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = file.Write(text)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = os.Remove(path) // the error is more important
	}
	return path, err
}

// removeForgotten deletes the specs in a folder that no helper has read.
func removeForgotten(folder string) {
	list, _ := os.ReadDir(folder) // without a folder there is none
	for _, entry := range list {
		info, err := entry.Info()
		if err == nil && strings.HasPrefix(entry.Name(), specPrefix) && time.Since(info.ModTime()) > forgottenAfter {
			_ = os.Remove(filepath.Join(folder, entry.Name())) // the next start tries it again
		}
	}
}

// readSpec reads a spec and deletes its file.
func readSpec(path string) (c contained, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return c, fmt.Errorf("read what to enforce: %w", err)
	}
	if err := os.Remove(path); err != nil {
		return c, fmt.Errorf("delete what to enforce: %w", err)
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("read what to enforce: %w", err)
	}
	if c.Version != containedVersion {
		return c, fmt.Errorf("the hub has another version than this program; restart the hub")
	}
	return c, nil
}

// recordOf returns the file that lists what access lists give the container of a server with this own folder.
func recordOf(own string) string {
	_, name, _ := strings.Cut(monikerOf(own), ".")
	return filepath.Join(filepath.Dir(own), recordPrefix+name+".json")
}

// readRecord returns what a record lists; nothing if there is none.
func readRecord(path string) (list []access, err error) {
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		return nil, fmt.Errorf("read which files the container may use: %w", err)
	}
	return list, nil
}

// writeRecord replaces a record.
func writeRecord(path string, list []access) error {
	text, err := json.Marshal(list)
	if err == nil {
		err = os.WriteFile(path+".new", text, 0o600)
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return fmt.Errorf("write which files the container may use: %w", err)
	}
	return nil
}
