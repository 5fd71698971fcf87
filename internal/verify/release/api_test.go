// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// versioned makes a repository with a version v0.1.0 that exports a function, a type and a package.
func versioned(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	put(t, root, "go.mod", "module github.com/kplan-go/kplan\n\ngo 1.24\n")
	put(t, root, "go.work", "go 1.24\n\nuse .\n")
	put(t, root, "CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n- All is new.\n")
	put(t, root, "deploy/deploy.go", "package deploy\n\n// Plan is a plan.\ntype Plan struct{ Size int }\n\n// Of plans.\nfunc (p *Plan) Of() {}\n\nfunc Reconcile() {}\n")
	put(t, root, "internal/base/field/field.go", "package field\n\nfunc Name() {}\n")
	put(t, root, "order/order.go", "package order\n\nfunc Sort() {}\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "one"}, {"tag", "v0.0.9"}, {"tag", "v0.1.0"}, {"tag", "kube/v0.2.0"}} {
		_, err := git(root, args...)
		require.NoError(t, err)
	}
	return root
}

func TestAPI(t *testing.T) {
	root := versioned(t)
	text, err := api(root)
	require.NoError(t, err)
	require.Equal(t, "0 changes since v0.1.0 that importers notice, each named in CHANGELOG.md\n", text)

	put(t, root, "deploy/deploy.go", "package deploy\n\n// Plan is a plan.\ntype Plan struct{ Size int64; More bool }\n\nfunc Reconcile(deep bool) {}\n")
	put(t, root, "internal/base/field/field.go", "package field\n")
	put(t, root, "order/order.go", "package main\n\nfunc main() {}\n")
	_, err = api(root)
	require.ErrorContains(t, err, "lost since v0.1.0", "of several tags, the newest of the module at the root")
	for _, name := range []string{"`deploy.Plan.Of`: (*Plan).Of: removed", "`deploy.Plan.Size`: Plan.Size: changed from int to int64", "`deploy.Reconcile`: Reconcile: changed", "`order`: package github.com/kplan-go/kplan/order: removed"} {
		require.ErrorContains(t, err, name)
	}
	require.NotContains(t, err.Error(), "field", "nobody could import it")
	require.NotContains(t, err.Error(), "More", "one more field takes nothing away")

	put(t, root, "CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n- `deploy.Plan.Size` is wider, `deploy.Plan.Of` and `order` are gone.\n\n## v0.1.0 (2026-01-01)\n\n- `deploy.Reconcile`\n")
	_, err = api(root)
	require.ErrorContains(t, err, "`deploy.Reconcile`", "what a version before it names does not count")
	require.NotContains(t, err.Error(), "deploy.Plan.Of")
}

func TestAPIWithoutVersion(t *testing.T) {
	root := t.TempDir()
	_, err := git(root, "init", "-q")
	require.NoError(t, err)
	text, err := api(root)
	require.NoError(t, err)
	require.Equal(t, "no version yet, so nobody loses anything\n", text)

	shallow := filepath.Join(t.TempDir(), "shallow")
	_, err = git(".", "clone", "-q", "--depth", "1", "--no-tags", "file://"+versioned(t), shallow)
	require.NoError(t, err)
	text, err = api(shallow)
	require.NoError(t, err)
	require.Contains(t, text, "nothing is compared", "there may well be one")
	workflow, err := os.ReadFile("../../../.github/workflows/ci.yaml")
	require.NoError(t, err)
	require.Contains(t, string(workflow), "fetch-depth: 0 ", "it has the versions")
}
