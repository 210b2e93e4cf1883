package injection

import "strings"

// Mark is a place in a text that pretends to be markup of a model's input.
type Mark struct {
	Start, End int
	Points     float64
}

// modelTags are names of tags that texts use to pretend that they come from the system.
var modelTags = setOf(`important system instruction instructions secret hidden critical urgent override admin assistant system_prompt system-prompt systemprompt
	system_message system-message system_override system_note priority mandatory directive directives attention internal_instructions developer human user_instructions
	sys inst prompt policy security security_notice compliance rules im_start im_end endoftext begin_of_text start_header_id eot_id important_instruction
	system_instruction system-instruction system_instructions system-reminder tool_instructions agent_instructions llm_instructions`)

// chatMarks are the marks by which the prompt templates of models separate roles.
var chatMarks = []string{
	"[inst]", "[/inst]", "<<sys>>", "<|system|>", "<|user|>", "<|assistant|>", "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|eot_id|>",
	"<|begin_of_text|>", "[system]", "[/system]", "<start_of_turn>", "[system:", "{{system", "{{ system", "{{#system",
}

// headings are words with which a heading or label pretends to come from the system.
var headings = []string{
	"instruction", "system", "new system", "assistant instruction", "hidden instruction", "system message", "system override", "override",
	"important instruction", "new instruction", "end of tool description", "end of description", "developer message", "secret instruction",
}

// FindMarkup returns the places of a normalised text that pretend to be markup.
func FindMarkup(s string) []Mark {
	var marks []Mark
	for i := 0; i < len(s); {
		next := strings.IndexAny(s[i:], "<[{#")
		if next < 0 {
			break
		}
		i += next
		if !mayBeMarkup(s, i) {
			i++
			continue
		}
		end, points := markupAt(s, i)
		if points > 0 {
			marks = append(marks, Mark{i, end, points})
		}
		i = max(end, i+1)
	}
	return marks
}

// mayBeMarkup reports quickly whether markup may begin at i. Most brackets and
// number signs, of which JSON and HTML have many, begin no markup.
func mayBeMarkup(s string, i int) bool {
	if i+3 >= len(s) {
		return false
	}
	next := s[i+1]
	switch s[i] {
	case '{':
		return next == '{'
	case '#':
		return next == '#' || i > 0 && s[i-1] == '#'
	case '[':
		return next == '/' || letter(next)
	}
	return next == '!' || next == '|' || next == '<' || next == '/' || letter(next)
}

// markupAt returns the end and the weight of the markup at i. The weight is 0 if there
// is none or it is harmless.
func markupAt(s string, i int) (end int, points float64) {
	head := strings.ToLower(s[i:min(len(s), i+64)])
	for _, mark := range chatMarks {
		if strings.HasPrefix(head, mark) {
			if mark == "[system]" && strings.HasPrefix(head, "[system](") { // a link
				return i + 1, 0
			}
			return i + len(mark), 2
		}
	}
	switch s[i] {
	case '<':
		if strings.HasPrefix(head, "<!--") {
			return comment(s, i)
		}
		end := strings.IndexAny(head, "> \n")
		if end < 2 {
			return i + 1, 0
		}
		if forcefulTag(head[1:end]) {
			return i + end + 1, 2
		}
		if modelTags[strings.Trim(head[1:end], "/|!")] && strings.Contains(head, ">") {
			return i + end + 1, tagPoints(s, i+end, strings.Trim(head[1:end], "/|!"))
		}
	case '[':
		end := strings.IndexAny(head, "]:\n")
		if end > 0 && head[end] != '\n' && modelTags[strings.TrimSpace(head[1:end])] {
			return i + end + 1, 1
		}
	case '#':
		text := strings.TrimLeft(head, "# ")
		for _, heading := range headings {
			if rest, ok := strings.CutPrefix(text, heading); ok && strings.HasPrefix(head, "##") {
				rest = strings.TrimLeft(strings.TrimPrefix(rest, "s"), " ")
				if strings.HasPrefix(rest, "#") || strings.HasPrefix(rest, ":") && heading != "instruction" ||
					heading == "instruction" && strings.HasPrefix(rest, ":") && !strings.HasPrefix(text, "instructions") {
					return i + len(head) - len(text) + len(heading), 2
				}
			}
		}
		for i < len(s) && s[i] == '#' {
			i++
		}
		return i, 0
	}
	return i + 1, 0
}

// forcefulTag reports whether a part of the name of a tag claims authority, as in
// "important-note" and "secret_directive".
func forcefulTag(name string) bool {
	if !strings.ContainsAny(name, "-_") {
		return false
	}
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '_' || r == '/' }) {
		switch part {
		case "important", "secret", "directive", "directives", "override", "hidden", "privileged", "mandatory":
			return true
		}
	}
	return strings.HasPrefix(name, "/tool_desc") || strings.HasPrefix(name, "/description")
}

// tagPoints returns the weight of the tag with this name. A tag that may also be a
// placeholder for a person to fill in, as in "--user <user>", counts only if it encloses a
// text.
func tagPoints(s string, from int, name string) float64 {
	if strings.Contains(strings.ToLower(s[from:]), "</"+name) && len(s)-from > 12 || name == "important" || name == "system" ||
		name == "secret" || name == "hidden" {
		return 2
	}
	return 0
}

// comment returns the end and the weight of the HTML comment at i. Only a comment that
// contains an order has a weight, because such a comment is meant for a model.
func comment(s string, i int) (end int, points float64) {
	end = len(s)
	if n := strings.Index(s[i:], "-->"); n >= 0 {
		end = i + n + len("-->")
	}
	if end-i < len("<!-- ab cd -->") {
		return end, 0
	}
	d := NewReader(false)
	for _, sentence := range d.Read(s[i+len("<!--"):max(end-len("-->"), i+len("<!--"))], Names{}, nil) {
		for _, hit := range sentence.Hits {
			points = max(points, min(hit.Points+1, 2))
		}
		if sentence.Imperative && sentence.Words > 3 {
			points = 2
		}
	}
	return end, points
}
