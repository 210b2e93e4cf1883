//go:build !unix

package companion

import "io/fs"

// ownedByUser reports whether a file belongs to the user of this process. On Windows, the
// folders of other users cannot be above those of this one.
func ownedByUser(fs.FileInfo) bool { return true }
