// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/dirhash"
)

// The sums of packed modules equal the sums that Go computes from the repository once the tags are
// pushed: go.sum has them before.
func TestSums(t *testing.T) {
	root, proxy := checkout(t), t.TempDir()
	put(t, root, ".gitattributes", "* text=auto eol=lf\n**/testdata/** -text\n")
	put(t, root, "testdata/lines.yaml", "ended: as on Windows\r\n")
	put(t, root, "kube/testdata/big.txt", "kept\n")
	put(t, root, ".gitignore", "/dist/\n")
	put(t, root, "dist/kplan", "what a build leaves is not in a version")
	require.NoError(t, packAll(root, proxy))

	list, err := published(root)
	require.NoError(t, err)
	commands := [][]string{{"add", "."}, {"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "one"}}
	for _, f := range list {
		commands = append(commands, []string{"tag", f.tag("v0.1.0")})
	}
	for _, args := range commands {
		_, err := git(root, args...)
		require.NoError(t, err)
	}
	for _, f := range list {
		want, err := dirhash.HashZip(filepath.Join(proxy, f.path(), "@v", "v0.1.0.zip"), dirhash.Hash1)
		require.NoError(t, err)
		require.Equal(t, want, fetched(t, root, f.path()+"@v0.1.0"), f.path())
	}
}

// fetched returns the sum of a version that Go fetches from the repository, in the place of the
// one that its path names.
func fetched(t *testing.T, root, version string) string {
	t.Helper()
	work := t.TempDir()
	put(t, work, "gitconfig", "[url \"file://"+root+"\"]\n\tinsteadOf = https://"+core+"\n")
	c := exec.Command("go", "mod", "download", "-json", version)
	c.Dir, c.Stderr = work, os.Stderr
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+filepath.Join(work, "gitconfig"), "GOPROXY=direct", "GOPRIVATE="+core, "GOWORK=off", "GOMODCACHE="+filepath.Join(work, "cache"), "GOFLAGS=-modcacherw")
	out, err := c.Output()
	require.NoError(t, err, "%s", out)
	var got struct{ Sum string }
	require.NoError(t, json.Unmarshal(out, &got))
	return got.Sum
}

// TestAttributes: git leaves the fixtures as they are, and gives everybody the same lines of
// all other texts.
func TestAttributes(t *testing.T) {
	list, err := git(root, "ls-files", "--eol")
	require.NoError(t, err)
	fixtures, others := 0, 0
	for line := range strings.Lines(list) {
		columns, name, found := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		require.True(t, found, line)
		if strings.Contains(name, "testdata/") {
			fixtures++
			require.Contains(t, columns, "attr/-text", name)
			continue
		}
		others++
		require.Contains(t, columns, "attr/text=auto eol=lf", name)
		require.NotContains(t, columns, "crlf", name)
	}
	require.Greater(t, fixtures, 100)
	require.Greater(t, others, 1000)
}
