//go:build !unix

package companion

import "io/fs"

// ownedByUser reports whether a file belongs to the user of this process. On Windows it returns true, because
// the folders of a user are not inside those of another user.
func ownedByUser(fs.FileInfo) bool { return true }
