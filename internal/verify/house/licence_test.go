// SPDX-License-Identifier: Apache-2.0

package house

import (
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// licence is the line by which programs find under which licence a file is.
const licence = "SPDX-License-Identifier: Apache-2.0\n"

// licensed reports whether a file of this name must name its licence: sources and scripts, except
// inputs of tests.
func licensed(name string) bool {
	if strings.Contains(name, "testdata/") {
		return false
	}
	switch path.Ext(name) {
	case ".go", ".s", ".sh":
		return true
	}
	return path.Base(name) == "run" || path.Base(name) == "Dockerfile"
}

// TestLicence: each source names its licence, in its first line or, in scripts, after it.
func TestLicence(t *testing.T) {
	files := 0
	texts(t, func(name, text string) {
		if !licensed(name) {
			return
		}
		files++
		first, rest, _ := strings.Cut(text, "\n")
		if strings.HasPrefix(first, "#!") {
			first, _, _ = strings.Cut(rest, "\n")
		}
		require.Contains(t, []string{"// " + licence, "# " + licence}, first+"\n", "%s: the first line", name)
	})
	require.Greater(t, files, 1000)
}
