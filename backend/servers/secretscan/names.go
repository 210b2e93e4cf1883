package secretscan

import "strings"

const (
	// minName and maxNamed are the minimum and the maximum length of a name before a
	// value.
	minName, maxNamed = 2, 64
	// maxFlag is the maximum length of a flag after its dashes.
	maxFlag = 64
)

// assigned finds the values in "api_key": "value" and api_key=value.
func (s *scanner) assigned() {
	brace := 0 // position of the next "}", or the position from which to search for it; -1 if there is none
	for at, i := 0, 0; i < len(s.text); {
		if !inName[s.text[i]] {
			i++
			s.steps++
			continue
		}
		from := i
		end := s.skip(i, inName, all)
		i = end
		if end-from > maxNamed {
			from = end - maxNamed
		}
		if end-from < minName {
			continue
		}
		sign := end
		closes := s.at(sign, '"')
		if closes {
			sign++
		}
		sign = s.skip(sign, inSpace, all)
		if !s.at(sign, ':') && !s.at(sign, '=') {
			continue
		}
		value := s.skip(sign+1, inSpace, all)
		to := value
		kind := plain
		switch {
		case s.at(value, '"'):
			var ok bool
			if to, ok = s.quoted(value); !ok {
				to = value
			}
		case strings.HasPrefix(s.text[value:], "${"):
			if brace >= 0 && brace < value {
				brace = s.index(value, "}")
			}
			to = value + 1
			if brace >= 0 {
				to = brace + 1
			}
		default:
			to = s.skip(value, inValue, all)
			if closes && s.text[sign] == ':' {
				kind = inQuotes // a number in JSON
			}
		}
		if to == value {
			continue
		}
		reference := from-2 >= at && s.text[from-2:from] == "${"
		if i, at = to, to; !reference {
			s.assign(s.text[from:end], value, to, kind)
		}
	}
}

// assign adds the value at text[from:to] if name shows that the value is a credential.
func (s *scanner) assign(name string, from, to int, kind spanKind) {
	value := strings.Trim(s.text[from:to], `"`)
	if to-from < MinLength || !s.sensitive(name) || isHidden(value) || isScheme(value) {
		return
	}
	if s.text[from] == '"' {
		from, to = from+1, to-1
	}
	s.add(from, to, kind)
}

// sensitive returns SensitiveName(name). It looks for a hint first, which takes less time.
func (s *scanner) sensitive(name string) bool {
	s.steps += len(name)
	return hints.in(name)&aName != 0 && SensitiveName(name)
}

// flagged finds the values in --token value, and in "--token", "value" as in a JSON
// list of arguments.
func (s *scanner) flagged() {
	s.steps += len(s.text)
	at := 0 // end of the last value
	for i := 0; i < len(s.text); i++ {
		if s.text[i] != '-' || i > 0 && (i-1 < at || !beforeFlag[s.text[i-1]]) {
			continue
		}
		letters := i + 1
		if s.at(letters, '-') {
			letters++
		}
		if !s.isIn(letters, inLetters) {
			continue
		}
		end := s.skip(letters, inName, maxFlag+1)
		if end-letters < minName || end-letters > maxFlag {
			continue
		}
		from, to := s.argument(end)
		if to == from {
			continue
		}
		if value := s.text[from:to]; len(value) >= MinLength && s.sensitive(s.text[i:end]) && !isHidden(strings.Trim(value, `"'`)) {
			s.add(from, to, plain)
		}
		at, i = to, to-1
	}
}

// argument returns the range of the argument after the flag that ends at i. The range is
// empty if no argument follows.
func (s *scanner) argument(i int) (from, to int) {
	if s.at(i, '"') { // the next item of a list
		comma := s.skip(i+1, inSpace, all)
		if !s.at(comma, ',') {
			return i, i
		}
		open := s.skip(comma+1, inSpace, all)
		if from = open + 1; !s.at(open, '"') || s.at(from, '-') {
			return i, i
		}
		return from, s.quotedPart(from)
	}
	switch from = s.skip(i, inSpace, all); {
	case from == i:
		return i, i
	case s.at(from, '"'):
		if end, ok := s.quoted(from); ok {
			return from, end
		}
		return i, i
	case s.at(from, '\''):
		if end := s.index(from+1, "'"); end >= 0 {
			return from, end + 1
		}
		return i, i
	case s.at(from, '-'):
		return i, i
	}
	return from, s.skip(from, inArgument, all)
}
