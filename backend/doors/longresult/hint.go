package longresult

import (
	"fmt"
	"slices"
	"strings"
)

// ToolName is the name of the tool that calls Store.Read.
const ToolName = "read_more"

// call returns the text of a call to read_more. members are the members of its arguments, as JSON.
func (c Client) call(members string) string { return calling(c.Caller, ToolName, members) }

// saving returns a sentence, without the full stop, that explains how to save a block.
func (c Client) saving(handle string) string {
	return calling(c.Saver, SaveName, fmt.Sprintf(`"handle":%q,"block":N`, handle)) + " saves block N, from 0 on, as a file"
}

// calling returns the text of a call to tool. The call is direct if caller is empty, and otherwise goes through the
// tool that caller names.
func calling(caller, tool, members string) string {
	if caller == "" {
		return tool + " {" + members + "}"
	}
	return fmt.Sprintf(`%s {"call_as":%q,"arguments":{%s}}`, caller, tool, members)
}

// rest returns a notice that states how much of the document follows offset at, and explains how to read it.
func (d *document) rest(c Client, handle string, at int) string {
	begin := fmt.Sprintf(`"handle":%q`, handle)
	var ways []string
	if at < len(d.text) {
		ways = append(ways, `"grep":"regular expression" finds lines`)
	}
	if d.source != nil {
		ways = append(ways, `"path":"$…" selects by JSONPath (RFC 9535)`)
	}
	if d.hasBlocks() {
		ways = append(ways, `"block":N returns that block whole`)
	}
	save := ""
	if d.hasBlocks() && c.Folder != "" {
		save = " " + c.saving(handle) + "."
	}
	if at < len(d.text) {
		return fmt.Sprintf("[%d of %d bytes are not shown. %s reads on. Instead of offset, %s.%s]",
			len(d.text)-at, len(d.text), c.call(fmt.Sprintf(`%s,"offset":%d`, begin, at)), strings.Join(ways, ", "), save)
	}
	return fmt.Sprintf("[The text is complete, but not the result. Call %s with one more argument: %s.%s]",
		c.call(begin), strings.Join(ways, ", "), save)
}

// hasBlocks reports whether the document has images, sounds or files.
func (d *document) hasBlocks() bool {
	return slices.ContainsFunc(d.parts, func(p part) bool { return p.block >= 0 })
}
