package keychain

import "fmt"

// securityError explains an exit code of macOS's program security to the user. The exit code is the last byte of the
// system's error code.
func securityError(code int) string {
	const headless = "; unlock it in a terminal with: security unlock-keychain, or set AGENT_DISCOVER_KEYCHAIN=off"
	switch code {
	case 36: // errSecInteractionNotAllowed, -25308
		return "it is locked, and macOS cannot ask for its password in this session" + headless
	case 37, 50: // errSecNoDefaultKeychain, -25307; errSecNoSuchKeychain, -25294
		return "there is no default keychain; create one with Keychain Access, or set AGENT_DISCOVER_KEYCHAIN=off"
	case 51: // errSecAuthFailed, -25293
		return "macOS refused access to it" + headless
	case 128: // errSecUserCanceled, -128
		return "its prompt was cancelled; allow the access when macOS asks"
	}
	return fmt.Sprintf("macOS reported error %d; try Keychain Access, or set AGENT_DISCOVER_KEYCHAIN=off", code)
}
