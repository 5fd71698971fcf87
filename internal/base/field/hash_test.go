// SPDX-License-Identifier: Apache-2.0

package field

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every byte of a text counts, wherever it is, and its length does; where the text lies in
// memory does not.
func TestHash(t *testing.T) {
	seen := map[uint32]string{}
	for n := range 40 {
		text := strings.Repeat("a", n)
		for i := range n + 1 {
			changed := text
			if i < n {
				changed = text[:i] + "b" + text[i+1:]
			}
			h := Hash(changed)
			require.NotContains(t, seen, h, "%q", changed)
			require.Equal(t, h, Hash(("x" + changed)[1:]))
			seen[h] = changed
		}
	}
}
