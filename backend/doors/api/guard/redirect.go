package guard

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// Redirects writes the files that open the dashboard or a sign-in page in a browser. A file for the dashboard contains
// a ticket and sends the browser to the hub. The browser gets the path of the file as its argument, not the ticket,
// because every user of the machine can read the arguments of a process. Only the user can read the file, and it is
// removed when the ticket ends.
type Redirects struct {
	Folder paths.Folder // data folder; the files are in its subfolder run
	Home   string       // home folder of the user, where snaps have their folders; may be empty
}

// snapName matches the names of snaps, including parallel installations such as firefox_work.
var snapName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,40}(_[a-z0-9]{1,10})?$`)

// prefix returns the prefix of the file names. It differs between data folders, so that one hub does not remove the
// files of another.
func (r Redirects) prefix() string {
	sum := sha256.Sum256([]byte(r.Folder))
	return "agent-discover-open-" + hex.EncodeToString(sum[:4]) + "-"
}

// sweep removes the files that a killed hub left behind.
func (r Redirects) sweep() {
	left := paths.Glob(r.Folder.Run(""), r.prefix()+"*.html")
	if r.Home != "" {
		for _, folder := range snapFolders("", "*") {
			left = append(left, paths.Glob(r.Home, filepath.ToSlash(folder)+"/"+r.prefix()+"*.html")...)
		}
	}
	for _, file := range left {
		_ = paths.Remove(file)
	}
}

// snapFolders returns the folders in which a snap may read files. A snap cannot read the hidden folders of the user.
func snapFolders(home, snap string) []string {
	return []string{filepath.Join(home, "snap", snap, "common"), filepath.Join(home, ".snap", "data", snap, "common")}
}

// folder returns the folder for a file that a browser opens. snap is the name of the browser's snap, or empty.
func (r Redirects) folder(snap string) (string, error) {
	if snap == "" {
		return filepath.Dir(r.Folder.Run("x")), nil
	}
	if !snapName.MatchString(snap) || r.Home == "" {
		return "", fault.New(fault.Invalid, "invalid name of a snap")
	}
	for _, folder := range snapFolders(r.Home, snap) {
		if info, err := os.Lstat(folder); err == nil && info.IsDir() {
			return folder, nil
		}
	}
	return "", fault.New(fault.NotFound, "the snap %s has no folder of its own yet; start it once, then try again", snap)
}

// write writes an HTML file that sends the browser to an address. label is the text of a link to the address. The
// content policy of the file allows only the script that opens the address.
func (r Redirects) write(snap, address, label string) (file string, err error) {
	folder, err := r.folder(snap)
	if err != nil {
		return "", err
	}
	quoted, err := json.Marshal(address) // Marshal also escapes <, > and &
	if err != nil {
		return "", err
	}
	script := `location.replace(` + string(quoted) + `)`
	hash := sha256.Sum256([]byte(script))
	page := `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Agent Discover</title>
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-` + base64.StdEncoding.EncodeToString(hash[:]) +
		`'">
<script>` + script + `</script></head>
<body><a href="` + html.EscapeString(address) + `" rel="noreferrer">` + label + `</a></body></html>
`
	file = filepath.Join(folder, r.prefix()+instance.NewSecret()[:16]+".html")
	if err := paths.WriteFile(file, []byte(page)); err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "could not write the file that opens a page in %s", folder)
	}
	return file, nil
}

// IssueFile issues a ticket for a page and writes it to a file that opens the dashboard in a browser. snap is the
// name of the browser's snap, or empty. The file is removed when the ticket is redeemed, when it expires, or when the
// hub stops.
func (ss *Sessions) IssueFile(snap string) (file string, expires time.Time, err error) {
	var expired *time.Timer
	secret, expires, err := ss.issue(ForPage, nil, func() {
		if expired != nil {
			expired.Stop()
		}
		if file != "" {
			_ = paths.Remove(file)
		}
	})
	if err != nil {
		return "", time.Time{}, err
	}
	written, err := ss.redirects.write(snap, "http://"+ss.address+"/#ticket="+secret, "Open the dashboard")
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if _, ok := ss.tickets[hashOf(secret)]; !ok && err == nil { // endTickets was called meanwhile
		_ = paths.Remove(written)
		return "", time.Time{}, fault.New(fault.Unavailable, "the hub is stopping")
	}
	if err != nil {
		delete(ss.tickets, hashOf(secret))
		return "", time.Time{}, err
	}
	file = written
	expired = time.AfterFunc(ticketLife+time.Millisecond, func() {
		ss.mu.Lock()
		defer ss.mu.Unlock()
		ss.endExpiredTickets()
	})
	return file, expires, nil
}

// WriteRedirect writes a file that sends a browser to address, a page at which a person signs in. snap is the name of
// the browser's snap, or empty. remove deletes the file.
func (ss *Sessions) WriteRedirect(snap, address string) (file string, remove func(), err error) {
	file, err = ss.redirects.write(snap, address, "Sign in")
	return file, func() { _ = paths.Remove(file) }, err
}

// endTickets invalidates all tickets and removes their files.
func (ss *Sessions) endTickets() {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for key, t := range ss.tickets {
		delete(ss.tickets, key)
		t.end()
	}
}
