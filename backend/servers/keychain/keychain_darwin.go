package keychain

import (
	"errors"
	"os/exec"
)

// backendError describes an error of the keychain's library by the exit code of the program security, which the
// library runs. It leaves out the output, which may contain a secret.
func backendError(err error) string {
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return securityError(failed.ExitCode())
	}
	return "the program security, which reads it, did not run"
}
