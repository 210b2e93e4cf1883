// This file lets functions of this package have no body; see fork_linux.go.
