// SPDX-License-Identifier: Apache-2.0

package house

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// parsers and planners are known by their names.
var toFuzz = regexp.MustCompile(`^(Parse|Reconcile|Plan|Of$|Explain|Validate|Convert|Admit|Classify|Resolve$|Conflicts|Choose|Inspect|Finish|Undo|Overlap$)`)

// notFuzzed are functions that need no fuzz target, mostly because a fuzzed function covers them,
// each with the reason.
var notFuzzed = map[string]string{
	"selector.ParseWith":               "Parse is ParseWith",
	"selector.ParseRequirements":       "Parse is made of it",
	"selector.ValidateKey":             "Validate is made of it",
	"selector.ValidateValue":           "Validate is made of it",
	"selector/claim.ValidateReference": "it looks at four texts",
	"selector.ValidateWorkload":        "Validate and a match",
	"rollout.Resolve":                  "arithmetic, and planners are made of it",
	"rollout.ResolveExact":             "arithmetic, and planners are made of it",
	"rollout.ResolveNodes":             "arithmetic, and planners are made of it",
	"daemonset.Resolve":                "arithmetic, and planners are made of it",
	"rollout/argo.Parse":               "rollout.Parse with another error",
	"revision/kubectl.UndoTarget":      "PlanUndo is made of it",
	"rollout/batchrelease.Plan":        "the machine that FuzzTracker runs calls it after each step",
}

// isFuzz reports whether a declaration is a fuzz target.
func isFuzz(d ast.Decl) (string, bool) {
	f, ok := d.(*ast.FuncDecl)
	if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Fuzz") {
		return "", false
	}
	return f.Name.Name, true
}

// TestFuzzTargets: each target has a corpus, and each parser and planner of the core is
// called in a file that has a target.
func TestFuzzTargets(t *testing.T) {
	called := map[string]string{} // the text of the files with targets, by package
	files := tree(t, true)
	targets := 0
	for _, f := range files {
		if !f.isTest() {
			continue
		}
		for _, d := range f.tree.Decls {
			name, ok := isFuzz(d)
			if !ok {
				continue
			}
			targets++
			called[f.pkg()] += f.text
			corpus, err := os.ReadDir(filepath.Join(root, f.pkg(), "testdata", "fuzz", name))
			require.NoError(t, err, "%s has no corpus", name)
			require.NotEmpty(t, corpus, "%s of %s has no corpus", name, f.pkg())
			require.LessOrEqual(t, len(corpus), 30, "%s of %s", name, f.pkg())
		}
	}
	require.Greater(t, targets, 50)
	var missing []string
	for _, f := range files {
		if !isCore(f) || strings.HasPrefix(f.pkg(), "internal/") {
			continue
		}
		for _, d := range f.tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || !toFuzz.MatchString(fn.Name.Name) {
				continue
			}
			name := f.pkg() + "." + fn.Name.Name
			if !strings.Contains(called[f.pkg()], fn.Name.Name+"(") && notFuzzed[name] == "" {
				missing = append(missing, name)
			}
		}
	}
	require.Empty(t, slices.Compact(missing), "no fuzz target calls them")
}
