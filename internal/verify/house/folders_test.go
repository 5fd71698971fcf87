// SPDX-License-Identifier: Apache-2.0

package house

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// mostFiles is the number of files without tests that a reader of a folder can keep apart.
const mostFiles = 40

// large returns the folders with more files without tests than most.
func large(files []file, most int) map[string]int {
	found := map[string]int{}
	for _, f := range files {
		if !f.isTest() {
			found[f.pkg()]++
		}
	}
	for folder, n := range found {
		if n <= most {
			delete(found, folder)
		}
	}
	return found
}

// TestFolders: a folder has few files.
func TestFolders(t *testing.T) {
	require.Empty(t, large(tree(t, true), mostFiles))
}

func TestFoldersFind(t *testing.T) {
	var files []file
	for _, name := range []string{"a/x.go", "a/y.go", "a/x_test.go", "b/x.go", "b/x_test.go", "b/y_test.go"} {
		f, err := parse(name, "package p")
		require.NoError(t, err)
		files = append(files, f)
	}
	require.Equal(t, map[string]int{"a": 2}, large(files, 1))
}
