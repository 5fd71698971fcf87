// SPDX-License-Identifier: Apache-2.0

package house

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// interpreters returns, for each planner package, which of the three ways to carry out actions it
// exports: "Apply", "Actions.Apply" and "Plan.Apply". A planner has a function Reconcile. The
// method Apply of a Tracker takes events, and does not count.
func interpreters(files []file) map[string][]string {
	found := map[string][]string{}
	for _, f := range files {
		if f.isTest() || strings.Contains(f.pkg()+"/", "internal/") {
			continue
		}
		for _, d := range f.tree.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && receiver(d) != "Tracker" && (d.Name.Name == "Apply" || d.Name.Name == "Reconcile" && d.Recv == nil) {
				found[f.pkg()] = append(found[f.pkg()], strings.TrimPrefix(receiver(d)+"."+d.Name.Name, "."))
			}
		}
	}
	maps.DeleteFunc(found, func(_ string, names []string) bool { return !slices.Contains(names, "Reconcile") })
	for _, names := range found {
		slices.Sort(names)
	}
	return found
}

// Each planner package defines the effects of its actions: it exports Apply for one action, for
// many and for a plan.
func TestActionsAreApplied(t *testing.T) {
	found := interpreters(tree(t, true))
	for pkg, names := range found {
		require.Equal(t, []string{"Actions.Apply", "Apply", "Plan.Apply", "Reconcile"}, names, pkg)
	}
	require.Equal(t, []string{"daemonset", "deploy", "replicaset", "rollout/argo", "rollout/batchrelease", "rollout/kruise"}, slices.Sorted(maps.Keys(found)))
}

// receiver returns the name of the type that a method belongs to, or "".
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	e := d.Recv.List[0].Type
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	if generic, ok := e.(*ast.IndexExpr); ok {
		e = generic.X
	}
	name, _ := e.(*ast.Ident)
	if name == nil {
		return ""
	}
	return name.Name
}
