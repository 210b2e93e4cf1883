package paths

import "io/fs"

// mayTighten returns false, because on Windows a folder inherits its permissions
// from its parent.
func mayTighten(fs.FileInfo) bool { return false }
