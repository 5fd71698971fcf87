// SPDX-License-Identifier: Apache-2.0

package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// copied are the exported functions of the deployment util package of Kubernetes 1.36.3,
// which most projects have copied.
const copied = `NewDeploymentCondition GetDeploymentCondition SetDeploymentCondition RemoveDeploymentCondition
ReplicaSetToDeploymentCondition SetDeploymentRevision MaxRevision LastRevision Revision
SetNewReplicaSetAnnotations SetDeploymentAnnotationsTo FindActiveOrLatest GetDesiredReplicasAnnotation
SetReplicasAnnotations ReplicasAnnotationsNeedUpdate MaxUnavailable MinAvailable MaxSurge
GetReplicaSetProportion RsListFromClient ListReplicaSets ListPods EqualIgnoreHash FindNewReplicaSet
FindOldReplicaSets SetFromReplicaSetTemplate GetReplicaCountForReplicaSets IsRollingUpdate
DeploymentComplete DeploymentProgressing DeploymentTimedOut NewRSNewReplicas IsSaturated
WaitForObservedDeployment ResolveFenceposts HasProgressDeadline HasRevisionHistoryLimit
GetDeploymentsForReplicaSet ReplicaSetsByRevision`

var named = regexp.MustCompile("`(claim|deploy|expect|kube|podorder|replicaset|revision|rollout)\\.([A-Z][A-Za-z.]*)`")

// TestGuide: all names in the guide for projects with a copy of upstream's code exist, and the
// guide has every function that they may have copied.
func TestGuide(t *testing.T) {
	guide, err := os.ReadFile("../../../examples/fleet/README.md")
	require.NoError(t, err)
	for _, name := range strings.Fields(copied) {
		require.Contains(t, string(guide), "`"+name+"`", "the guide leaves it out")
	}
	names := map[string]map[string]bool{}
	found := named.FindAllStringSubmatch(string(guide), -1)
	require.Greater(t, len(found), 40)
	for _, m := range found {
		if names[m[1]] == nil {
			folder := map[string]string{"claim": "selector/claim", "expect": "replicaset/expect"}[m[1]]
			if folder == "" {
				folder = m[1]
			}
			names[m[1]] = exported(t, filepath.Join("../../..", folder))
		}
		require.True(t, names[m[1]][m[2]], "there is no %s.%s", m[1], m[2])
	}
	main, err := os.ReadFile("../../../README.md")
	require.NoError(t, err)
	require.Contains(t, string(main), "(examples/fleet/README.md)")
}

// TestFleetIsShort: the example controller of a custom type has at most 250 lines.
func TestFleetIsShort(t *testing.T) {
	controller, err := os.ReadFile("../../../examples/fleet/controller.go")
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(controller), "\n"), 250)
}

// exported returns the exported names of a package, methods with their types.
func exported(t *testing.T, folder string) map[string]bool {
	names := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name := d.Name.Name
				if d.Recv != nil {
					receiver := d.Recv.List[0].Type
					if star, ok := receiver.(*ast.StarExpr); ok {
						receiver = star.X
					}
					if id, ok := receiver.(*ast.Ident); ok {
						name = id.Name + "." + name
					}
				}
				names[name] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						names[s.Name.Name] = true
					}
				}
			}
		}
	}
	return names
}
