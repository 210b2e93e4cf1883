package lifecycle

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

const (
	// codeLife is how long a code is valid.
	codeLife = 10 * time.Minute
	// codeBytes is the number of random bytes in a code, which base32 encodes as eight characters.
	codeBytes = 5
	// maxTries is how many wrong codes make a code invalid.
	maxTries = 5
)

// ErrNoCode is the error of ApproveWithCode without a code.
var ErrNoCode error = &fault.Error{
	Kind: fault.Denied, Code: fault.CodeNoApproval,
	Message: "a person has to approve this server in the tray or the dashboard; a program needs the code that is shown there",
}

// ErrWrongCode is the error of ApproveWithCode with a code that is not valid.
var ErrWrongCode error = &fault.Error{
	Kind: fault.Denied, Code: fault.CodeWrongApproval,
	Message: "this code is wrong, used or too old; nothing was approved. The tray and the dashboard show the current code",
}

// codes holds the one-time codes with which programs approve servers. A person reads the code in the tray or the
// dashboard and passes it to the program. codes is safe for concurrent use.
type codes struct {
	now func() time.Time

	mu   sync.Mutex
	open map[string]*code // by the name of the server
}

type code struct {
	text    string
	hash    string // LaunchHash of the server for which it was made
	expires time.Time
	wrong   int // number of wrong codes so far
}

// current returns the valid code for a launch, and makes one if there is none.
func (c *codes) current(server, hash string) code {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.open, func(_ string, known *code) bool { return c.now().After(known.expires) })
	known := c.open[server]
	if known == nil || known.hash != hash {
		random := make([]byte, codeBytes)
		_, _ = rand.Read(random) // never fails
		known = &code{text: base32.StdEncoding.EncodeToString(random), hash: hash, expires: c.now().Add(codeLife)}
		c.open[server] = known
	}
	return *known
}

// use reports whether text is the valid code for a launch. A code becomes invalid when it is used, and after maxTries
// wrong ones. Case, spaces and dashes make no difference.
func (c *codes) use(server, hash, text string) bool {
	text = strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(text))
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.open[server]
	if known == nil {
		return false
	}
	same := subtle.ConstantTimeCompare([]byte(known.text), []byte(text)) == 1
	if !same {
		known.wrong++
	}
	valid := same && known.hash == hash && !c.now().After(known.expires)
	if same || known.wrong >= maxTries {
		delete(c.open, server)
	}
	return valid
}

func (c *codes) forget(server string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, server)
}

// Code returns the code with which a program can approve a server that waits for
// approval, and until when it is valid. The code works once, for the server's
// present launch. Show it only to a person.
func (m *Manager) Code(name string) (text string, expires time.Time, err error) {
	s, err := m.registry.Get(name)
	if err != nil {
		return "", time.Time{}, err
	}
	if s.Approved {
		return "", time.Time{}, fault.New(fault.Conflict, "server %q is approved already", name)
	}
	c := m.codes.current(name, LaunchHash(s))
	return c.text[:4] + "-" + c.text[4:], c.expires, nil
}

// ApproveWithCode is Approve for a program, which needs a code from Code. launchHash may be empty. The error is
// ErrNoCode without a code, and ErrWrongCode if the code is not valid. A server that is approved already is no error.
func (m *Manager) ApproveWithCode(ctx context.Context, name, launchHash, code string) (registry.Server, error) {
	s, err := m.registry.Get(name)
	switch {
	case err != nil:
		return s, err
	case launchHash != "" && Unchanged(s, launchHash) != nil:
		return s, Unchanged(s, launchHash)
	case s.Approved:
		return s, nil
	case code == "":
		return s, ErrNoCode
	case !m.codes.use(name, LaunchHash(s), code):
		return s, ErrWrongCode
	}
	return m.Approve(ctx, name, LaunchHash(s))
}
