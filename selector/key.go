// SPDX-License-Identifier: Apache-2.0

package selector

import "strings"

// The patterns in messages. The checks do not use them, because a regular expression costs
// more than the rest of a compilation.
const (
	namePattern      = `([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]`
	subdomainPattern = `[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*`
)

const (
	maxName      = 63  // bytes of the name part of a key, and of a value
	maxSubdomain = 253 // bytes of the prefix of a key
)

const nameDetail = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
	"alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '" + namePattern + "')"

const subdomainDetail = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
	"and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '" +
	subdomainPattern + "')"

// ValidateKey returns the errors of a label key, or nil if it is valid.
//
// It mirrors IsLabelKey of package content of apimachinery.
func ValidateKey(key string) []string {
	prefix, name, found := strings.Cut(key, "/")
	if !found {
		name = key
	} else if strings.Contains(name, "/") {
		return []string{"a valid label key " + nameDetail + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"}
	}
	var messages []string
	if found {
		messages = prefixMessages(prefix)
	}
	switch {
	case name == "":
		messages = append(messages, "name part must be non-empty")
	case len(name) > maxName:
		messages = append(messages, "name part must be no more than 63 bytes")
	}
	if !isName(name) {
		messages = append(messages, "name part "+nameDetail)
	}
	return messages
}

func prefixMessages(prefix string) []string {
	if prefix == "" {
		return []string{"prefix part must be non-empty"}
	}
	var messages []string
	if len(prefix) > maxSubdomain {
		messages = append(messages, "prefix part must be no more than 253 bytes")
	}
	if !isSubdomain(prefix) {
		messages = append(messages, "prefix part "+subdomainDetail)
	}
	return messages
}

// validKey reports whether ValidateKey returns no errors, without creating their texts.
func validKey(key string) bool {
	for i := range len(key) {
		if key[i] == '/' {
			return i <= maxSubdomain && isSubdomain(key[:i]) && len(key)-i-1 <= maxName && isName(key[i+1:])
		}
	}
	return len(key) <= maxName && isName(key)
}

// isName reports whether s is a non-empty name of any length.
func isName(s string) bool {
	if s == "" || !isAlphanumeric(s[0]) || !isAlphanumeric(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '-' && c != '.' && c != '_' {
			return false
		}
	}
	return true
}

// isSubdomain reports whether s consists of labels of lower case letters, digits and inner
// hyphens, joined by dots.
func isSubdomain(s string) bool {
	edge := true // at the start of a label
	last := byte('.')
	for i := range len(s) {
		c := s[i]
		switch {
		case c-'a' < 26 || c-'0' < 10:
			edge = false
		case c == '-' && !edge:
		case c == '.' && !edge && last != '-':
			edge = true
		default:
			return false
		}
		last = c
	}
	return !edge && last != '-'
}

func isAlphanumeric(c byte) bool { return c|0x20-'a' < 26 || c-'0' < 10 }
