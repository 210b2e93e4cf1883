package secrets

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/godbus/dbus/v5"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

const (
	secretService = "org.freedesktop.secrets"
	secretRoot    = dbus.ObjectPath("/org/freedesktop/secrets")
	loginKeyring  = secretRoot + "/collection/login"
	propertyOf    = "org.freedesktop.DBus.Properties.Get"
)

var (
	errNoBus     = fault.New(fault.Unavailable, "there is no keychain: no session bus is running here")
	errNoService = fault.New(fault.Unavailable, "there is no keychain: nothing on the session bus keeps secrets (gnome-keyring, KWallet and KeePassXC do)")
	errNoKeyring = fault.New(fault.Unavailable, "the keychain has no default keyring yet; create one in its program (Passwords and Keys, KWalletManager, KeePassXC)")
)

// systemDesk returns the Secret Service on the session bus.
func systemDesk() desk { return desk{connect: connectBus, look: lookAtService} }

// busAddress returns where the session bus is, "" when there is none. Without
// one the library would start a bus that nobody ends.
func busAddress() string {
	if address := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); address != "" && address != "autolaunch:" {
		return address
	}
	socket := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bus")
	if info, err := os.Stat(socket); err != nil || !filepath.IsAbs(socket) || info.Mode()&os.ModeSocket == 0 {
		return ""
	}
	return "unix:path=" + dbus.EscapeBusAddressValue(socket)
}

// connectBus returns the connection that the library uses: all of a process
// share one, and the next caller gets a new one when it is closed.
func connectBus() (io.Closer, error) {
	address := busAddress()
	if address == "" {
		return nil, errNoBus
	}
	// The library finds the bus by this variable only.
	if err := os.Setenv("DBUS_SESSION_BUS_ADDRESS", address); err != nil {
		return nil, err
	}
	conn, err := dbus.SessionBus()
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "there is no keychain: the session bus does not answer")
	}
	return conn, nil
}

// lookAtService looks over a connection of its own, which its context ends.
func lookAtService(ctx context.Context) (locked bool, err error) {
	address := busAddress()
	if address == "" {
		return false, errNoBus
	}
	conn, err := dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		return false, fault.Wrap(err, fault.Unavailable, "there is no keychain: the session bus does not answer")
	}
	defer func() { _ = conn.Close() }()
	var owned bool
	if err := conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, secretService).Store(&owned); err != nil {
		return false, lookError(err)
	}
	if !owned {
		var startable []string
		err := conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.ListActivatableNames", 0).Store(&startable)
		if err != nil || !slices.Contains(startable, secretService) {
			return false, errNoService
		}
	}
	keyring, err := defaultKeyring(ctx, conn)
	if err != nil {
		return false, err
	}
	err = conn.Object(secretService, keyring).CallWithContext(ctx, propertyOf, 0, "org.freedesktop.Secret.Collection", "Locked").Store(&locked)
	return locked, lookError(err)
}

// defaultKeyring finds the keyring that the library uses.
func defaultKeyring(ctx context.Context, conn *dbus.Conn) (dbus.ObjectPath, error) {
	root := conn.Object(secretService, secretRoot)
	var keyrings []dbus.ObjectPath
	if err := root.CallWithContext(ctx, propertyOf, 0, "org.freedesktop.Secret.Service", "Collections").Store(&keyrings); err != nil {
		return "", lookError(err)
	}
	if slices.Contains(keyrings, loginKeyring) {
		return loginKeyring, nil
	}
	var keyring dbus.ObjectPath
	if err := root.CallWithContext(ctx, "org.freedesktop.Secret.Service.ReadAlias", 0, "default").Store(&keyring); err != nil {
		return "", lookError(err)
	}
	if keyring == "/" {
		return "", errNoKeyring
	}
	return keyring, nil
}

func lookError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return fault.Wrap(err, fault.Unavailable, "the keychain does not answer")
	}
	return fault.Wrap(err, fault.Unavailable, "there is no keychain: %s", deskError(err))
}

// deskError returns what may be told of an error of the bus: its name, which
// is one of a fixed list, and never its text.
func deskError(err error) string {
	if known, ok := errors.AsType[dbus.Error](err); ok {
		switch known.Name {
		case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
			return "nothing on the session bus keeps secrets (gnome-keyring, KWallet and KeePassXC do)"
		}
		return known.Name
	}
	return "its connection broke off"
}
