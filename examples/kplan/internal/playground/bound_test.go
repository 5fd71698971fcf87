// SPDX-License-Identifier: Apache-2.0

package playground

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lists returns a text in which each of so many lists has the one before ten times.
func lists(depth int) string {
	var b strings.Builder
	b.WriteString("kind: List\nx0: &a0 {kind: List, items: []}\n")
	for i := range depth {
		fmt.Fprintf(&b, "x%d: &a%d {kind: List, items: [%s]}\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	fmt.Fprintf(&b, "items: [*a%d]\n", depth)
	return b.String()
}

// TestBound: a text that stands for more than can be read while one types is refused, and says so.
func TestBound(t *testing.T) {
	for text, want := range map[string]string{
		lists(2):  "no Deployment in it: the kind must be Deployment, of apps/v1",
		lists(12): "line 1: more than 20000 values, with those that anchors repeat; the command takes more",
		"kind: List\nitems: [&a {kind: List, items: [*a]}]": "line 2: an anchor is used in itself",
		strings.Repeat("a: b\n", 20_000):                    `line 2: mapping key "a" already defined at line 1`,
		strings.Repeat("---\nkind: Pod\n", 10_000):          "line 10001: more than 20000 values, with those that anchors repeat; the command takes more",
		strings.Repeat("# long\n", 50_000):                  "more than 256 KiB of text; the command takes more",
	} {
		require.Equal(t, want, Answer(Input{Next: text}).Error, "%.40q", text)
		require.Equal(t, strings.HasPrefix(want, "no "), Answer(Input{Now: text, Next: "kind: Pod"}).Box == "next")
	}
}
