// Package bundle reads .mcpb and .dxt files: zip archives with an MCP server
// and a manifest, which contains the command of the server and the settings to
// ask the user for. It unpacks a bundle into a folder and returns the command
// line. A bundle is untrusted: files outside of its folder and unreasonable
// sizes are refused. The package starts nothing and verifies no signature.
package bundle

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// Limits on the size of a bundle.
const (
	maxBundle    = 512 << 20 // bytes, packed
	maxUnpacked  = 1 << 30   // bytes
	maxFiles     = 50_000
	maxDirectory = 16 << 20 // bytes of the archive's list of files
	maxManifest  = 4 << 20  // bytes
	maxRatio     = 200      // unpacked bytes per packed byte, for bundles larger than large
	large        = 64 << 20 // unpacked bytes
)

// Bundle is an open bundle. It is not safe for concurrent use.
type Bundle struct {
	Manifest
	Hash string // SHA-256 of the whole file, in hex

	file  *os.File // a copy of the bundle
	zip   *zip.Reader
	files map[string]*zip.File // by path, with slashes
	bytes int64                // limit on the unpacked size
}

// Open reads the manifest of a bundle and checks the names and sizes of its files. name must be an absolute path. The
// caller closes the bundle. The error is a fault that does not quote the content of the file.
func Open(name string) (*Bundle, error) {
	if !filepath.IsAbs(name) {
		return nil, fault.New(fault.Invalid, "the path of the bundle must be absolute")
	}
	file, err := open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	b := &Bundle{files: make(map[string]*zip.File), bytes: maxUnpacked}
	size, err := b.copy(file)
	if err == nil {
		err = b.read(size)
	}
	if err != nil {
		_ = b.Close()
		return nil, err
	}
	return b, nil
}

// Close removes the copy of the bundle.
func (b *Bundle) Close() error {
	if b.file == nil {
		return nil
	}
	return errors.Join(b.file.Close(), os.Remove(b.file.Name()))
}

// copy copies the bundle to a file that only this user can change, and sets Hash. The user sees, approves and unpacks
// this copy, because the owner of the original may change it at any time.
func (b *Bundle) copy(from io.Reader) (size int64, err error) {
	if b.file, err = os.CreateTemp("", "agent-discover-*.mcpb"); err != nil {
		return 0, fault.Wrap(err, fault.Unavailable,
			"could not copy the bundle; check that the folder for temporary files exists and the disk is not full")
	}
	sum := sha256.New()
	size, err = io.Copy(io.MultiWriter(b.file, sum), io.LimitReader(from, maxBundle+1))
	switch {
	case err != nil:
		return 0, fault.Wrap(err, fault.Unavailable, "could not copy the bundle; check that the disk is not full")
	case size > maxBundle:
		return 0, fault.New(fault.Invalid, "the bundle is larger than %d MiB", maxBundle>>20)
	}
	b.Hash = hex.EncodeToString(sum.Sum(nil))
	return size, nil
}

func open(name string) (*os.File, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.NotFound, "the file %s does not exist", name)
	case err != nil:
		return nil, fault.Wrap(err, fault.Unavailable, "could not read %s; give yourself read access to it", name)
	case !info.Mode().IsRegular():
		return nil, fault.New(fault.Invalid, "%s is not a regular file", name)
	case info.Size() > maxBundle:
		return nil, fault.New(fault.Invalid, "the bundle is larger than %d MiB", maxBundle>>20)
	}
	file, err := paths.Open(name)
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "could not read %s; give yourself read access to it", name)
	}
	return file, nil
}

// readArchive lists the files of the archive and checks their names and sizes.
func (b *Bundle) readArchive(size int64) error {
	if err := checkDirectory(b.file, size); err != nil {
		return err
	}
	var err error
	if b.zip, err = zip.NewReader(b.file, size); err != nil {
		return notBundle(err)
	}
	return b.list()
}

func (b *Bundle) read(size int64) error {
	if err := b.readArchive(size); err != nil {
		return err
	}
	manifest := b.files["manifest.json"]
	if manifest == nil {
		return fault.New(fault.Invalid, "the file is not a bundle: it has no manifest.json")
	}
	text, err := contents(manifest)
	if err != nil {
		return err
	}
	b.Manifest, err = readManifest(text)
	return err
}

func notBundle(err error) error {
	return fault.Wrap(err, fault.Invalid, "the file is not a bundle, or it is damaged: it is not a valid zip archive")
}

// checkDirectory refuses an archive whose list of files needs too much memory,
// before archive/zip reads that list. It reads the end of central directory
// record, which a comment may follow (APPNOTE.TXT 4.3.16), and counts the
// entries, because the record may state any number. An archive in the zip64
// format is refused: its sizes are in other records, and no bundle within the
// limits needs it.
func checkDirectory(file io.ReaderAt, size int64) error {
	const record, locator, comment = 22, 20, 1<<16 - 1
	tail := make([]byte, min(size, record+locator+comment))
	at := size - int64(len(tail))
	if _, err := file.ReadAt(tail, at); err != nil {
		return notBundle(err)
	}
	i := len(tail) - record
	for ; i >= 0 && string(tail[max(i, 0):i+4]) != "PK\x05\x06"; i-- {
	}
	if i < 0 {
		return notBundle(zip.ErrFormat)
	}
	count := int(binary.LittleEndian.Uint16(tail[i+10:]))
	length, offset := int64(binary.LittleEndian.Uint32(tail[i+12:])), int64(binary.LittleEndian.Uint32(tail[i+16:]))
	if i >= locator && string(tail[i-locator:i-locator+4]) == "PK\x06\x07" || length == math.MaxUint32 || offset == math.MaxUint32 {
		return fault.New(fault.Invalid, "the bundle is a zip64 archive, which is not supported; pack it again without zip64")
	}
	end := at + int64(i)
	start := min(offset, end-length) // archive/zip tries both offsets
	switch {
	case count > maxFiles || length > maxDirectory || end-start > maxDirectory:
		return tooMany()
	case start < 0:
		return notBundle(zip.ErrFormat)
	}
	directory := make([]byte, end-start)
	if _, err := file.ReadAt(directory, start); err != nil {
		return notBundle(err)
	}
	if bytes.Count(directory, []byte("PK\x01\x02")) > maxFiles {
		return tooMany()
	}
	return nil
}

func tooMany() error {
	return fault.New(fault.Invalid, "the bundle has more than %d files", maxFiles)
}

// list fills b.files and checks all names and sizes.
func (b *Bundle) list() error {
	if len(b.zip.File) > maxFiles {
		return tooMany()
	}
	var total, packed uint64
	folded := make(map[string]bool, len(b.zip.File))
	for _, f := range b.zip.File {
		name := strings.TrimSuffix(f.Name, "/")
		if err := checkName(name, f.Mode()); err != nil {
			return err
		}
		if f.Mode().IsDir() {
			continue
		}
		if folded[strings.ToLower(name)] {
			return fault.New(fault.Invalid, "the bundle contains a file twice")
		}
		folded[strings.ToLower(name)], b.files[name] = true, f
		if total += f.UncompressedSize64; f.UncompressedSize64 > maxUnpacked || total > maxUnpacked {
			return tooLarge()
		}
		packed += f.CompressedSize64
	}
	if total > large && total/maxRatio > packed {
		return tooLarge()
	}
	return nil
}

func tooLarge() error {
	return fault.New(fault.Invalid, "the bundle is too large: unpacked, it exceeds %d MiB or is far larger than the archive suggests",
		maxUnpacked>>20)
}

// badOnWindows matches file names that are invalid on Windows or have a
// special meaning there.
var badOnWindows = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com\d|lpt\d)(\.|$)|[<>:"|?*\\\x00-\x1f\x7f]|[. ]$`)

func checkName(name string, mode fs.FileMode) error {
	if !mode.IsRegular() && !mode.IsDir() {
		return fault.New(fault.Invalid, "the bundle contains a link or another special file")
	}
	wrong := name == "" || path.Clean(name) != name || !filepath.IsLocal(filepath.FromSlash(name)) || len(name) > 400
	for part := range strings.SplitSeq(name, "/") {
		wrong = wrong || part == ".." || badOnWindows.MatchString(part) && part != "."
	}
	if wrong {
		return fault.New(fault.Invalid, "the bundle contains a file whose name leads outside of its folder or is invalid on some systems")
	}
	return nil
}

func contents(f *zip.File) ([]byte, error) {
	if f.UncompressedSize64 > maxManifest {
		return nil, fault.New(fault.Invalid, "the bundle's manifest.json is larger than %d MiB", maxManifest>>20)
	}
	in, err := f.Open()
	if err != nil {
		return nil, notBundle(err)
	}
	defer func() { _ = in.Close() }()
	text, err := io.ReadAll(io.LimitReader(in, maxManifest+1))
	if err != nil {
		return nil, notBundle(err)
	}
	return text, nil
}

// has reports whether the bundle contains a file or, if folders is set, a
// folder with this path.
func (b *Bundle) has(name string, folders bool) bool {
	name = path.Clean(filepath.ToSlash(name))
	if b.files[name] != nil {
		return true
	}
	if folders {
		for file := range b.files {
			if strings.HasPrefix(file, name+"/") {
				return true
			}
		}
	}
	return false
}
