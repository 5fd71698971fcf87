// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var day = time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC)

// checkout makes a small repository of three modules, one of which is not published.
func checkout(t *testing.T) string {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                           "module " + core + "\n\ngo 1.24\n",
		"LICENSE":                          "free",
		"core.go":                          "package kplan\n",
		"CHANGELOG.md":                     "# Changelog\n\n## Unreleased\n\n- All of it.\n",
		"go.work":                          "go 1.24\n\nuse .\n\n// The checkout.\nreplace (\n\t" + core + " v0.1.0 => .\n\t" + core + "/kube v0.1.0 => ./kube\n)\n",
		"app/go.mod":                       "module " + core + "/app\n\ngo 1.24\n\nrequire (\n\t" + core + " v0.1.0\n\t" + core + "/kube v0.1.0\n)\n",
		"app/LICENSE":                      "mine",
		"kube/go.mod":                      "module " + core + "/kube\n\ngo 1.24\n\nrequire " + core + " v0.1.0\n",
		"kube/deep/kube.go":                "package deep\n",
		"internal/verify/e2e/go.mod":       "module " + core + "/internal/verify/e2e\n\ngo 1.24\n\nrequire " + core + " v0.1.0\n\nreplace " + core + " => ../../..\n",
		"internal/verify/e2e/testdata/big": "not packed with the core",
	} {
		put(t, root, name, text)
	}
	_, err := git(root, "init", "-q")
	require.NoError(t, err)
	return root
}

func put(t *testing.T, root, name, text string) {
	require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
}

func get(t *testing.T, root, name string) string {
	text, err := os.ReadFile(filepath.Join(root, name))
	require.NoError(t, err)
	return string(text)
}

func packed(t *testing.T, proxy, path string) (names []string) {
	r, err := zip.OpenReader(filepath.Join(proxy, path, "@v", "v0.1.0.zip"))
	require.NoError(t, err)
	defer r.Close()
	for _, f := range r.File {
		names = append(names, strings.TrimPrefix(f.Name, path+"@v0.1.0/"))
	}
	return names
}

func TestPack(t *testing.T) {
	proxy := t.TempDir()
	require.NoError(t, packAll(checkout(t), proxy))
	require.ElementsMatch(t, []string{"go.mod", "go.work", "LICENSE", "CHANGELOG.md", "core.go"}, packed(t, proxy, core), "no module further below")
	require.ElementsMatch(t, []string{"go.mod", "LICENSE", "deep/kube.go"}, packed(t, proxy, core+"/kube"), "the licence of the root")
	require.ElementsMatch(t, []string{"go.mod", "LICENSE"}, packed(t, proxy, core+"/app"), "its own licence")
	require.Equal(t, "v0.1.0\n", get(t, proxy, core+"/kube/@v/list"))
	require.JSONEq(t, `{"Version": "v0.1.0", "Time": "0001-01-01T00:00:00Z"}`, get(t, proxy, core+"/@v/v0.1.0.info"))
	require.NoDirExists(t, filepath.Join(proxy, core, "internal"))
}

func TestPackRefuses(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"a replace":     {"kube/go.mod", "module " + core + "/kube\n\nreplace " + core + " => ..\n", "cannot be installed"},
		"two versions":  {"kube/go.mod", "module " + core + "/kube\n\nrequire " + core + " v0.2.0\n", "v0.2.0"},
		"a circle":      {"go.mod", "module " + core + "\n\nrequire " + core + "/kube v0.1.0\n", "circle"},
		"another name":  {"kube/go.mod", "module " + core + "/cube\n", "called"},
		"no file of Go": {"kube/go.mod", "modul", "go.mod"},
	} {
		t.Run(name, func(t *testing.T) {
			root := checkout(t)
			put(t, root, c.file, c.text)
			require.ErrorContains(t, packAll(root, t.TempDir()), c.want)
		})
	}
}

func TestRelease(t *testing.T) {
	root := checkout(t)
	var order []string
	text, err := release(root, "v0.2.0", []string{"v0.1.0", "kube/v0.1.0"}, day, func(dir, proxy string) error {
		if len(order) > 0 {
			require.FileExists(t, filepath.Join(proxy, core, "@v", "v0.2.0.zip"), "what it requires is served before its sums are taken")
		}
		below, err := filepath.Rel(root, dir)
		order = append(order, below)
		return err
	})
	require.NoError(t, err)
	require.Equal(t, []string{".", "kube", "app"}, order)
	require.Contains(t, text, "git tag v0.2.0\ngit tag kube/v0.2.0\ngit tag app/v0.2.0\n")
	require.Contains(t, text, "git push origin main\ngit push origin v0.2.0\ngit push origin kube/v0.2.0\n")
	require.Equal(t, "# Changelog\n\n## Unreleased\n\n## v0.2.0 (2026-03-01)\n\n- All of it.\n", get(t, root, "CHANGELOG.md"))
	for _, name := range []string{"kube/go.mod", "app/go.mod", "internal/verify/e2e/go.mod", "go.work"} {
		require.NotContains(t, get(t, root, name), "v0.1.0", name)
		require.Contains(t, get(t, root, name), core+" v0.2.0", name)
	}
	require.Contains(t, get(t, root, "internal/verify/e2e/go.mod"), "=> ../../..")
	require.Equal(t, "go 1.24\n\nuse .\n\n// The checkout.\nreplace (\n\t"+core+" v0.2.0 => .\n\t"+core+"/kube v0.2.0 => ./kube\n)\n", get(t, root, "go.work"))
}

func TestReleaseRefuses(t *testing.T) {
	for name, c := range map[string]struct{ version, changes, want string }{
		"no version":      {"0.2.0", "", "no version"},
		"a short version": {"v0.2", "", "no version"},
		"another path":    {"v2.0.0", "", "no version"},
		"there already":   {"v0.1.0", "", "there already"},
		"an older one":    {"v0.0.9", "", "newer"},
		"no change":       {"v0.2.0", "# Changelog\n\n## Unreleased\n\n## v0.1.0\n\n- All of it.\n", "says nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			root := checkout(t)
			if c.changes != "" {
				put(t, root, "CHANGELOG.md", c.changes)
			}
			before := get(t, root, "kube/go.mod") + get(t, root, "CHANGELOG.md")
			_, err := release(root, c.version, []string{"v0.1.0", "kube/v0.1.0"}, day, func(string, string) error {
				t.Error("tidied")
				return nil
			})
			require.ErrorContains(t, err, c.want)
			require.Equal(t, before, get(t, root, "kube/go.mod")+get(t, root, "CHANGELOG.md"), "nothing is written")
		})
	}
}

// The checkout can be packed as it is.
func TestCheckout(t *testing.T) {
	require.NoError(t, packAll(root, t.TempDir()))
}
