package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// discoverWait is how long the hub waits for an answer to server/discover before it sends initialize as well. Legacy
// servers may ignore server/discover.
const discoverWait = 2 * time.Second

// opening describes how to open a session.
type opening struct {
	first   mcpversion.Era // era whose request is sent first: initialize (legacy) or server/discover (modern)
	wanted  mcpversion.Era // wanted era of the session; Unknown for either
	only    bool           // no session of the other era will do
	patient bool           // the server is known to answer server/discover, if slowly
	last    bool           // if this attempt fails, the server is not started again
}

// anew is the error of a handshake that needs a new process. Its opening says how to open the session with that
// process.
type anew struct {
	opening
	deaf bool // the server ended when it got server/discover
}

func (*anew) Error() string { return "the server has to be started again in the other era" }

// plan returns how to open a session in this slot. The hub finds out the eras of an unknown server with
// server/discover, which only servers of the modern era answer. A session with a server that is known to speak both
// eras is opened in the legacy era unless the modern era is wanted. The legacy era offers more to the hub and to
// people, and most clients speak it.
func (s *slot) plan(w want) opening {
	known := s.erasOf(w.server)
	o := opening{first: mcpversion.Modern, wanted: w.era, only: s.target.Second, patient: known.modern == always}
	switch {
	case w.server.Transport == "sse", known.deaf:
		o.first = mcpversion.Legacy
	case w.era != mcpversion.Modern && (o.only || known.modern == always && known.legacy != never):
		o.first = mcpversion.Legacy
	}
	return o
}

// handshake opens a session with a server that has just been started.
type handshake struct {
	*origin
	at     *slot
	peer   *peer
	remote bool // the server is reached over HTTP
}

// run opens the session. It learns which era the server speaks, and how the server describes itself.
func (h *handshake) run(ctx context.Context, o opening) error {
	if o.first == mcpversion.Legacy {
		return h.openLegacy(ctx, o)
	}
	probing, stop := context.WithCancel(ctx)
	defer stop()
	probe := make(chan discovered, 1)
	go func() {
		about, err := h.discover(probing)
		probe <- discovered{about, err}
	}()
	var silent <-chan time.Time
	if !o.patient {
		wait := time.NewTimer(discoverWait)
		defer wait.Stop()
		silent = wait.C
	}
	select {
	case found := <-probe:
		return h.openFound(ctx, o, found)
	case <-silent:
		return h.openSilent(ctx, o, probe)
	}
}

// discovered is the outcome of server/discover.
type discovered struct {
	about Description
	err   error
}

// openLegacy opens a session with initialize. If the server refuses that, openLegacy opens a session of the modern
// era, unless only a legacy one will do.
func (h *handshake) openLegacy(ctx context.Context, o opening) error {
	about, err := h.initialize(ctx)
	switch {
	case err == nil:
		return h.open(mcpversion.Legacy, about)
	case h.server.Transport == "sse":
		return err
	case o.only && errors.Is(ctx.Err(), context.DeadlineExceeded):
		h.at.learn(h.server, mcpversion.Legacy, never, Description{}) // otherwise each call would wait until the deadline
		return err
	case ctx.Err() != nil || !h.refusesLegacy(err):
		return err
	}
	h.at.learn(h.server, mcpversion.Legacy, never, Description{})
	if o.only {
		return err
	}
	found, modernErr := h.discover(ctx)
	if modernErr != nil {
		return err
	}
	return h.open(mcpversion.Modern, found)
}

// openFound opens a session after the server has answered server/discover.
func (h *handshake) openFound(ctx context.Context, o opening, found discovered) error {
	switch err := found.err; {
	case err == nil && o.wanted == mcpversion.Legacy:
		return h.turnLegacy(ctx, o, found.about, false)
	case err == nil:
		return h.open(mcpversion.Modern, found.about)
	case ctx.Err() != nil, cannotBeReached(err):
		return err
	case isClosed(err):
		if !h.remote && !o.last && !o.only { // some legacy servers end unless the first request is initialize
			return &anew{opening{first: mcpversion.Legacy, wanted: o.wanted, last: true}, true}
		}
		return err
	}
	h.at.learn(h.server, mcpversion.Modern, never, Description{})
	if o.only {
		return found.err
	}
	about, err := h.initialize(ctx)
	if err != nil {
		return err
	}
	return h.open(mcpversion.Legacy, about)
}

// openSilent opens a session with a server that has not answered server/discover in time:
// it ignores the request, or starts slowly.
func (h *handshake) openSilent(ctx context.Context, o opening, probe <-chan discovered) error {
	about, err := h.initialize(ctx)
	if _, refused := errors.AsType[*jsonrpc.Error](err); err != nil && !refused {
		return err
	}
	if err == nil {
		select {
		case found := <-probe: // the server was slow, and answers in order
			if found.err != nil {
				h.at.learn(h.server, mcpversion.Modern, never, Description{})
				break
			}
			h.at.learn(h.server, mcpversion.Modern, always, found.about)
			if o.wanted == mcpversion.Modern && h.remote {
				return h.open(mcpversion.Modern, found.about)
			} else if o.wanted == mcpversion.Modern && !o.last {
				return &anew{opening{first: mcpversion.Modern, wanted: mcpversion.Modern, only: o.only, patient: true, last: true}, false}
			}
		default:
			h.at.learnDeaf(h.server)
		}
		if o.only {
			return fault.New(fault.Failed, "it speaks only versions of MCP before %s", mcpversion.Modern.Versions()[0])
		}
		return h.open(mcpversion.Legacy, about)
	}
	select {
	case found := <-probe:
		switch {
		case found.err == nil && o.wanted == mcpversion.Legacy:
			return h.turnLegacy(ctx, o, found.about, true)
		case found.err == nil:
			return h.open(mcpversion.Modern, found.about)
		}
	case <-time.After(discoverWait):
	case <-ctx.Done():
	}
	return err
}

// turnLegacy opens a legacy session with a server that has answered server/discover. refused means that the server has
// refused initialize after this answer. A process may keep the era of its first request; then it has to be started
// again. If the server cannot be started again, the session becomes a modern one.
func (h *handshake) turnLegacy(ctx context.Context, o opening, modern Description, refused bool) error {
	h.at.learn(h.server, mcpversion.Modern, always, modern)
	if !refused {
		about, err := h.initialize(ctx)
		switch {
		case err == nil:
			return h.open(mcpversion.Legacy, about)
		case ctx.Err() != nil, cannotBeReached(err):
			return err
		}
	}
	if !h.remote && !o.last {
		return &anew{opening{first: mcpversion.Legacy, wanted: mcpversion.Legacy, last: true}, false}
	}
	h.at.learn(h.server, mcpversion.Legacy, never, Description{})
	return h.open(mcpversion.Modern, modern)
}

// open stores the description that the server has given in an era, which becomes the era of the session.
func (h *handshake) open(which mcpversion.Era, about Description) error {
	h.at.learn(h.server, which, always, about)
	h.peer.profile.change(func(d *Description) { *d = about })
	h.peer.conn.SetLineLimit(maxLine)
	if which == mcpversion.Legacy {
		return h.peer.conn.Notify("notifications/initialized", nil)
	}
	return nil
}

// refusesLegacy reports whether an error of initialize means that the server does not speak the legacy era. A remote
// server may report that with any error.
func (h *handshake) refusesLegacy(err error) bool {
	if h.remote {
		return !cannotBeReached(err) && !isClosed(err)
	}
	rpc, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && (rpc.Code == jsonrpc.CodeMethodNotFound || rpc.Code == mcpversion.CodeUnsupportedVersion)
}

// cannotBeReached reports whether an error means that a remote server was not reached, so that it says nothing about
// the server's eras.
func cannotBeReached(err error) bool {
	if errors.Is(err, mcphttp.ErrLost) || errors.Is(err, mcphttp.ErrSignIn) {
		return true
	}
	kind := fault.KindOf(err)
	return kind == fault.Unavailable || kind == fault.Timeout
}

// discover sends server/discover, and returns how the server describes itself in the modern
// era.
func (h *handshake) discover(ctx context.Context) (Description, error) {
	call := jsonrpc.Call{Method: "server/discover", Params: h.peer.modernMeta(Declared{}).Stamp(nil), Quiet: true}
	raw, err := h.peer.conn.Call(ctx, call)
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok && offersModern(rpc) {
		raw, err = h.peer.conn.Call(ctx, call)
	}
	if err != nil {
		return Description{}, err
	}
	found, err := mcpversion.ReadDiscover(raw)
	if err != nil {
		return Description{}, err
	}
	version := found.Version(mcpversion.Modern)
	if version == "" {
		return Description{}, jsonrpc.NewError(mcpversion.CodeUnsupportedVersion, "the server supports none of the versions %v",
			mcpversion.Modern.Versions())
	}
	return Description{
		Name: jsonrpc.GetString(found.ServerInfo, "name"), Title: jsonrpc.GetString(found.ServerInfo, "title"),
		Version: jsonrpc.GetString(found.ServerInfo, "version"), TTLs: noteTTL(nil, "server/discover", raw), Info: found.ServerInfo,
		Instructions: found.Instructions, ProtocolVersion: version, Versions: found.Versions, Capabilities: found.Capabilities,
		Declared: personCapabilities,
	}, nil
}

// offersModern reports whether an error refuses a version and names a modern version that this program supports. As
// there is only one such version, the server has just refused it, but may accept it at the second try.
func offersModern(err *jsonrpc.Error) bool {
	if err.Code != mcpversion.CodeUnsupportedVersion {
		return false
	}
	for item := range jsonrpc.Items(jsonrpc.Get(err.Data, "supported")) {
		if version, _ := jsonrpc.String(item); mcpversion.Of(version) == mcpversion.Modern {
			return true
		}
	}
	return false
}

// initialize sends initialize, and returns how the server describes itself in the legacy
// era.
func (h *handshake) initialize(ctx context.Context) (Description, error) {
	declared, err := json.Marshal(h.capabilities())
	if err != nil {
		return Description{}, err
	}
	params, err := json.Marshal(map[string]any{
		"protocolVersion": mcpversion.Legacy.Versions()[0],
		"capabilities":    json.RawMessage(declared),
		"clientInfo":      h.peer.clientInfo(),
	})
	if err != nil {
		return Description{}, err
	}
	raw, err := h.peer.conn.Call(ctx, jsonrpc.Call{Method: "initialize", Params: params})
	if err != nil {
		return Description{}, err
	}
	// Accept any version, because results are passed on without decoding them, and members of a wrong type, because
	// clients are not shown them.
	info := jsonrpc.Get(raw, "serverInfo")
	return Description{
		Name: jsonrpc.GetString(info, "name"), Title: jsonrpc.GetString(info, "title"), Version: jsonrpc.GetString(info, "version"),
		Info: info, Instructions: jsonrpc.GetString(raw, "instructions"), ProtocolVersion: jsonrpc.GetString(raw, "protocolVersion"),
		Capabilities: jsonrpc.Get(raw, "capabilities"), Declared: declared,
	}, nil
}

// capabilities returns the capabilities that the hub declares in initialize. It does not declare to a shared server
// that roots can change, because the roots of a shared server never do.
func (h *handshake) capabilities() map[string]any {
	roots := map[string]bool{}
	if h.private || h.target.Client != "" {
		roots["listChanged"] = true
	}
	return map[string]any{
		"roots": roots, "sampling": struct{}{}, "elicitation": map[string]any{"form": struct{}{}, "url": struct{}{}},
	}
}
