// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kplan-go/kplan/selector"
)

// The texts of the wire contract.
const (
	k0 = `a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`
	k1 = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`
	d1 = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`
	v1 = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`
)

func TestValidateKey(t *testing.T) {
	const prefix = "prefix part "
	long := strings.Repeat("x", 63)
	tests := []struct {
		why  string
		key  string
		want []string
	}{
		{"one letter", "a", nil},
		{"upper case, dots and underscores are for the name", "My_n.a-me", nil},
		{"a prefix", "example.com/My_name", nil},
		{"63 bytes fit", long, nil},
		{"a prefix of 253 bytes fits", strings.Repeat("p", 253) + "/a", nil},
		{"63 bytes fit behind a prefix", "example.com/" + long, nil},
		{"64 bytes do not fit behind a prefix", "example.com/" + long + "x", []string{"name part must be no more than 63 bytes"}},
		{"a prefix of 254 bytes does not fit", strings.Repeat("p", 254) + "/a", []string{prefix + "must be no more than 253 bytes"}},
		{"the byte behind the digits", "a:a", []string{k1}},
		{"the byte behind the small letters", "a{a", []string{k1}},
		{"the byte behind the capital letters", "a[a", []string{k1}},
		{"the byte behind the digits, in the prefix", "a:a/a", []string{prefix + d1}},
		{"the byte behind the letters, in the prefix", "a{a/a", []string{prefix + d1}},
		{"labels of the prefix have no limit of their own", strings.Repeat("p", 100) + ".q/a", nil},
		{"nothing at all is two faults", "", []string{"name part must be non-empty", k1}},
		{"no prefix before the slash", "/a", []string{"prefix part must be non-empty"}},
		{"no name behind the slash", "a/", []string{"name part must be non-empty", k1}},
		{"nothing on either side", "/", []string{"prefix part must be non-empty", "name part must be non-empty", k1}},
		{"two slashes are one fault, whatever the parts", "a/b/-", []string{k0}},
		{"64 bytes do not fit", long + "x", []string{"name part must be no more than 63 bytes"}},
		{"too long and wrong", long + "-", []string{"name part must be no more than 63 bytes", k1}},
		{"no hyphen at the start", "-a", []string{k1}},
		{"no dot at the end", "a.", []string{k1}},
		{"a trailing newline is no end of text", "a\n", []string{k1}},
		{"bytes above 127 are no letters", "é", []string{k1}},
		{"no upper case in the prefix", "Ex.com/a", []string{prefix + d1}},
		{"no underscore in the prefix", "a_b/a", []string{prefix + d1}},
		{"no empty label", "a..b/a", []string{prefix + d1}},
		{"no hyphen at the end of a label", "a-.b/a", []string{prefix + d1}},
		{"no hyphen at the start of a label", "a.-b/a", []string{prefix + d1}},
		{"no hyphen at the end of the prefix", "a-/a", []string{prefix + d1}},
		{"no dot at the end of the prefix", "a./a", []string{prefix + d1}},
		{"no dot at the start of the prefix", ".a/a", []string{prefix + d1}},
		{"the prefix too long and wrong, the name wrong", strings.Repeat("P", 254) + "/-", []string{prefix + "must be no more than 253 bytes", prefix + d1, k1}},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, selector.ValidateKey(tt.key)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tt.key, diff)
			}
			_, err := selector.NewRequirement(tt.key, selector.OpExists, nil)
			if (err == nil) != (tt.want == nil) {
				t.Errorf("%q: fast and slow check differ: %v", tt.key, err)
			}
			// This one has only the fast check.
			_, err = selector.FromLabelSelector(selector.FromLabels(map[string]string{tt.key: ""}))
			if (err == nil) != (tt.want == nil) {
				t.Errorf("%q: fast check: %v", tt.key, err)
			}
		})
	}
}

func TestValidateValue(t *testing.T) {
	long := strings.Repeat("x", 63)
	tests := []struct {
		why   string
		value string
		want  []string
	}{
		{"empty is valid", "", nil},
		{"one letter", "a", nil},
		{"all that is allowed", "A-b_c.9", nil},
		{"63 bytes fit", long, nil},
		{"64 do not", long + "x", []string{"must be no more than 63 bytes"}},
		{"too long and wrong", long + ".", []string{"must be no more than 63 bytes", v1}},
		{"no slash", "a/b", []string{v1}},
		{"no sign, so no negative number", "-1", []string{v1}},
		{"nor a positive one with a sign", "+1", []string{v1}},
		{"no blank", "a b", []string{v1}},
		{"no trailing newline", "a\n", []string{v1}},
		{"only a separator", ".", []string{v1}},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, selector.ValidateValue(tt.value)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tt.value, diff)
			}
			_, err := selector.NewRequirement("a", selector.OpEquals, []string{tt.value})
			if (err == nil) != (tt.want == nil) {
				t.Errorf("%q: fast and slow check differ: %v", tt.value, err)
			}
		})
	}
}
