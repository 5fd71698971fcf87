// SPDX-License-Identifier: Apache-2.0

package files

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// errorOf returns what is said of a text, "" for nothing.
func errorOf(text string) string {
	if err := (Source{Names: []string{"-"}, Stdin: strings.NewReader(text)}).Each(pass); err != nil {
		return strings.TrimPrefix(err.Error(), "standard input: ")
	}
	return ""
}

// TestRepeatedKey: a key that is there twice in one object is an error, as it is for an API server
// that is strict; it is named with its line, wherever it is.
func TestRepeatedKey(t *testing.T) {
	const list = "apiVersion: v1\nitems:\n- kind: Pod\n  spec: {}\n- kind: Pod\n  spec:\n    a: 1\n    b: 2\n"
	for text, want := range map[string]string{
		"kind: Pod\nspec:\n  replicas: 2\n  replicas: 3\n":                                        `line 4: the key "replicas" is there already, in line 3`,
		small + "---\n" + small + "kind: Pod\n":                                                   `line 10: the key "kind" is there already, in line 7`,
		"\n\nkind: Pod\nkind: Pod\n":                                                              `line 4: the key "kind" is there already, in line 3`,
		"kind: Pod\nspec: {a: [{b: 1, c: 2, b: 3}]}\n":                                            `line 2: the key "b" is there already, in line 2`,
		"kind: Pod\n\"kind\": Pod\n":                                                              `line 2: the key "kind" is there already, in line 1`,
		list + "    a: 3\nkind: List\n":                                                           `line 9: the key "a" is there already, in line 7`,
		list + "kind: List\nmetadata: {}\nkind: List\n":                                           `line 11: the key "kind" is there already, in line 9`,
		list + "apiVersion: v1\nkind: List\n":                                                     `line 9: the key "apiVersion" is there already, in line 1`,
		"{\n\"kind\": \"Pod\",\n\"spec\": {\"a\": 1,\n\"a\": 1}}":                                 `line 4: the key "a" is there already, in line 3`,
		"\n{\n\"kind\": \"Pod\",\n\"kind\": \"Pod\"}":                                             `line 4: the key "kind" is there already, in line 3`,
		"{\"kind\": \"Pod\"}\n{\"kind\": \"Pod\",\n\"spec\": {\"a\":1,\"a\":1}}":                  `line 3: the key "a" is there already, in line 3`,
		"{\"kind\": \"List\", \"items\": [\n{\"kind\":\"Pod\"},\n{\"a\":1,\"a\":1}]}":             `line 3: the key "a" is there already, in line 3`,
		"{\"kind\": \"List\", \"items\": [],\n\"items\": []}":                                     `line 2: the key "items" is there already, in line 1`,
		"kind: Pod\n" + strings.Repeat("x", 1000) + ": 1\n" + strings.Repeat("x", 1000) + ": 1\n": `line 3: the key "` + strings.Repeat("x", 148) + "…" + strings.Repeat("x", 48) + `" is there already, in line 2`,
		// What a merge key brings may have another value, as YAML has it; so may a number and a text.
		"kind: Pod\nx: &x {a: 1, b: 2}\ny:\n  <<: *x\n  a: 2\n":       "",
		"kind: Pod\nx: &x {a: 1}\ny:\n  a: 2\n  <<: *x\n":             "",
		"kind: Pod\nx: &x {a: 1}\ny:\n  <<: [*x, *x]\n":               "",
		"kind: Pod\nx: &x {a: 1}\ny:\n  <<: *x\n  a: 2\n  a: 3\n":     `line 6: the key "a" is there already, in line 5`,
		"kind: Pod\nspec: [{a: 1}, {a: 1}]\nstatus: {spec: {a: 1}}\n": "",
	} {
		require.Equal(t, want, errorOf(text), text)
	}
}

// TestMergeKey: a key of its own takes the place of what a merge key brings.
func TestMergeKey(t *testing.T) {
	text := "kind: Pod\nmetadata:\n  annotations: &x {a: \"1\", b: \"2\"}\n  labels:\n    <<: *x\n    a: \"3\"\n"
	require.NoError(t, Source{Names: []string{"-"}, Stdin: strings.NewReader(text)}.Each(func(u *unstructured.Unstructured, _ string) error {
		require.Equal(t, map[string]string{"a": "3", "b": "2"}, u.GetLabels())
		return nil
	}))
}

// TestNoUTF8: bytes that are no UTF-8 are an error with their line, and do not become another
// character.
func TestNoUTF8(t *testing.T) {
	for text, want := range map[string]string{
		"kind: Pod\nname: a\xffb\n":                      "line 2: has bytes that are no UTF-8",
		"\xef\xbb\xbfkind: Pod\n# \xc3\n":                "line 2: has bytes that are no UTF-8",
		"{\"kind\":\n\"Pod\",\n\"a\": \"\xed\xa0\x80\"}": "line 3: has bytes that are no UTF-8",
		strings.Repeat("# a\n", 100_000) + "\xff":        "line 100001: has bytes that are no UTF-8",
		"kind: Pod\nname: \"\ufffd é 漢\"\n":              "",
		"\xef\xbb\xbfkind: Pod\n":                        "",
		"\xff\xfek\x00i\x00n\x00d\x00:\x00 \x00P\x00":    "",
	} {
		require.Equal(t, want, errorOf(text), "%q", text)
	}
	require.NoError(t, Source{Names: []string{"-"}, Stdin: io.MultiReader(strings.NewReader("kind: Pod\nname: \xe6"), strings.NewReader("\xbc\xa2\n"))}.Each(pass), "a character in two reads")
}
