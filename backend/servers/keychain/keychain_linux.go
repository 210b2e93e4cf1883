package keychain

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
	errNoService = fault.New(fault.Unavailable,
		"there is no keychain: no program on the session bus keeps secrets (install gnome-keyring, KWallet or KeePassXC)")
	errNoKeyring = fault.New(fault.Unavailable,
		"the keychain has no default keyring yet; create one with Passwords and Keys, KWalletManager or KeePassXC")
)

// systemBackend returns the backend for the Secret Service, which is reached
// over the D-Bus session bus.
func systemBackend() backend {
	return backend{connect: connectBus, check: checkService, accounts: listAccounts}
}

// busAddress returns the address of the session bus, or "" if none is running.
// In that case, the keychain's library must not be used, because it would start
// a bus that nothing stops.
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

// connectBus returns the connection to the session bus that the library uses.
// The connection is shared by the whole process. After it was closed, the next
// call opens a new one.
func connectBus() (io.Closer, error) {
	address := busAddress()
	if address == "" {
		return nil, errNoBus
	}
	// The library takes the address from this variable only.
	if err := os.Setenv("DBUS_SESSION_BUS_ADDRESS", address); err != nil {
		return nil, err
	}
	conn, err := dbus.SessionBus()
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "there is no keychain: the session bus does not answer")
	}
	return conn, nil
}

// checkService reports whether the default keyring is locked. It opens a
// connection of its own, so that it never waits for a hung operation.
func checkService(ctx context.Context) (locked bool, err error) {
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
		return false, checkError(err)
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
	err = conn.Object(secretService, keyring).CallWithContext(ctx, propertyOf, 0, "org.freedesktop.Secret.Collection",
		"Locked").Store(&locked)
	return locked, checkError(err)
}

// listAccounts returns the accounts of all entries of this program. Their attributes can be read in a locked keyring, too.
func listAccounts(ctx context.Context) ([]string, error) {
	conn, err := dbus.Connect(busAddress(), dbus.WithContext(ctx))
	if err != nil {
		return nil, checkError(err)
	}
	defer func() { _ = conn.Close() }()
	var unlocked, locked []dbus.ObjectPath
	err = conn.Object(secretService, secretRoot).CallWithContext(ctx, "org.freedesktop.Secret.Service.SearchItems", 0,
		map[string]string{"service": service}).Store(&unlocked, &locked)
	var accounts []string
	for _, item := range append(unlocked, locked...) {
		var attributes map[string]string
		if err := conn.Object(secretService, item).CallWithContext(ctx, propertyOf, 0, "org.freedesktop.Secret.Item",
			"Attributes").Store(&attributes); err != nil {
			return accounts, checkError(err)
		}
		accounts = append(accounts, attributes["username"]) // as package go-keyring names it
	}
	return accounts, checkError(err)
}

// defaultKeyring returns the keyring that the library uses: "login" if it
// exists, otherwise the default keyring.
func defaultKeyring(ctx context.Context, conn *dbus.Conn) (dbus.ObjectPath, error) {
	root := conn.Object(secretService, secretRoot)
	var keyrings []dbus.ObjectPath
	if err := root.CallWithContext(ctx, propertyOf, 0, "org.freedesktop.Secret.Service", "Collections").Store(&keyrings); err != nil {
		return "", checkError(err)
	}
	if slices.Contains(keyrings, loginKeyring) {
		return loginKeyring, nil
	}
	var keyring dbus.ObjectPath
	if err := root.CallWithContext(ctx, "org.freedesktop.Secret.Service.ReadAlias", 0, "default").Store(&keyring); err != nil {
		return "", checkError(err)
	}
	if keyring == "/" {
		return "", errNoKeyring
	}
	return keyring, nil
}

func checkError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return fault.Wrap(err, fault.Unavailable, "the keychain does not answer")
	}
	return fault.Wrap(err, fault.Unavailable, "there is no keychain: %s", backendError(err))
}

// backendError describes an error of the bus by its name. It leaves out the
// error's text, which may contain a secret.
func backendError(err error) string {
	if known, ok := errors.AsType[dbus.Error](err); ok {
		switch known.Name {
		case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
			return "no program on the session bus keeps secrets (install gnome-keyring, KWallet or KeePassXC)"
		}
		return known.Name
	}
	return "its connection was closed"
}
