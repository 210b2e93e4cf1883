package pendinginput

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// version is authenticated with each state, so that a state of another format is
// refused.
const version = "agent-discover/parking/1"

// Binding identifies a call. A retry can continue a call only if their bindings are equal.
type Binding struct {
	Principal string            `json:"p"` // who calls: the id of a token, or the session of a companion
	Session   string            `json:"s"` // id of the client's session; empty if it has none
	Instance  string            `json:"v"` // of the server; another one after a restart
	Method    string            `json:"m"`
	Params    [sha256.Size]byte `json:"h"` // inputrequired.Hash of the params
}

// state is the content of a requestState.
type state struct {
	Binding
	Lot      string          `json:"l"`           // id of the Lot that parked the call; empty for a server's state
	Call     string          `json:"c,omitempty"` // the parked call
	Round    int             `json:"r,omitempty"`
	Expires  int64           `json:"e"`           // Unix time in seconds
	Upstream json.RawMessage `json:"u,omitempty"` // the server's own requestState
}

// Sealer encrypts states, so that clients can neither read nor change them, and binds each state to its call. A
// server itself could not notice that a client sends the state of another client, because the hub is its only
// client.
type Sealer struct{ aead cipher.AEAD }

// KeySize is the size of a Sealer's key, in bytes.
const KeySize = 32

// NewSealer returns a sealer with a key of KeySize bytes. It accepts the states of earlier processes that had
// the same key.
func NewSealer(key []byte) (*Sealer, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("create sealer: the key has %d bytes instead of %d", len(key), KeySize)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("create sealer: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("create sealer: %w", err)
	}
	return &Sealer{aead}, nil
}

// NewKey returns a random key.
func NewKey() []byte {
	key := make([]byte, KeySize)
	_, _ = rand.Read(key) // never fails
	return key
}

// ErrState is the error of a retry whose state is not valid, for whatever reason. It
// has no details, because the retry may be an attack.
var ErrState = errors.New("the requestState is not valid for this request")

// Seal encrypts a state that a server has sent, bound to a call. It returns a JSON string.
func (s *Sealer) Seal(upstream json.RawMessage, b Binding, expires time.Time) json.RawMessage {
	return s.seal(state{Binding: b, Expires: expires.Unix(), Upstream: upstream})
}

// Open returns the state of a server that Seal has encrypted. The error is ErrState.
func (s *Sealer) Open(sealed json.RawMessage, b Binding, now time.Time) (upstream json.RawMessage, err error) {
	st, err := s.open(sealed, b, now)
	if err != nil || st.Lot != "" {
		return nil, ErrState
	}
	return st.Upstream, nil
}

func (s *Sealer) seal(st state) json.RawMessage {
	plain, _ := json.Marshal(st) // encoding a state cannot fail
	text, _ := json.Marshal(base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, plain, []byte(version))))
	return text
}

func (s *Sealer) open(sealed json.RawMessage, b Binding, now time.Time) (state, error) {
	var text string
	if json.Unmarshal(sealed, &text) != nil {
		return state{}, ErrState
	}
	data, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return state{}, ErrState
	}
	plain, err := s.aead.Open(nil, nil, data, []byte(version))
	if err != nil {
		return state{}, ErrState
	}
	var st state
	if json.Unmarshal(plain, &st) != nil || st.Binding != b || now.Unix() >= st.Expires {
		return state{}, ErrState
	}
	return st, nil
}
