package paths

import "io/fs"

// ours returns false, because on Windows permissions are inherited from the parent
// folder.
func ours(fs.FileInfo) bool { return false }
