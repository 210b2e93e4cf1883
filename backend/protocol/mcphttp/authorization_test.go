package mcphttp

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// keyring is an Authorization whose token is a digit. Challenged increases the token
// until it equals most, and then fails.
type keyring struct {
	mu         sync.Mutex
	token      byte
	most       byte
	challenges []Challenge
}

func (k *keyring) Header(context.Context) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return "Bearer " + string(k.token), nil
}

func (k *keyring) Challenged(_ context.Context, c Challenge) (bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.challenges = append(k.challenges, c)
	if k.token == k.most {
		return false, fault.Wrap(ErrSignIn, fault.Denied, "sign in again")
	}
	k.token++
	return true, nil
}

func TestRefusedRequestIsSentOnceMoreWithAnotherToken(t *testing.T) {
	wanted, sent := "Bearer 1", 0
	server := serve(t, func(e *exchange) bool {
		if e.Method == "tools/call" {
			sent++
		}
		if e.r.Header.Get("Authorization") == wanted {
			return false
		}
		e.w.Header().Set("WWW-Authenticate", "Bearer")
		e.status(http.StatusUnauthorized, "")
		return true
	})
	keys := &keyring{token: '0', most: '3'}
	c := connect(t, server.URL, func(o *Options) { o.Authorization = keys })
	const call = `{"name":"read","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`
	if _, err := c.call("tools/call", call); err != nil || sent != 2 {
		t.Fatalf("after %d requests: %v", sent, err)
	}
	if first := keys.challenges[0]; first.Operation != "tools/call read" || first.Sent != "Bearer 0" ||
		first.Header.Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("challenged with %+v", first)
	}
	wanted = "Bearer 9"
	if _, err := c.call("tools/call", call); err == nil || !strings.Contains(err.Error(), "it requires credentials") || sent != 4 {
		t.Errorf("after %d requests: %v", sent, err)
	}
	if _, err := c.call("tools/call", call); !errors.Is(err, ErrSignIn) || sent != 5 {
		t.Errorf("after %d requests: %v", sent, err)
	}
}
