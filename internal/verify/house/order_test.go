// SPDX-License-Identifier: Apache-2.0

package house

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// floors are the folders in order: each may import the ones before it. The simulated cluster comes
// before kube, which creates one from API objects.
var floors = []string{
	".", "internal/base", "selector", "podorder", "revision", "replicaset", "rollout", "deploy", "daemonset",
	"rollout/sim", "kube", "examples", "internal/verify",
}

// upward are the only imports of a folder further up: Trackers of pods know pods and selectors.
var upward = []string{"internal/base -> podorder", "internal/base -> selector"}

// floorOf returns the folder that a package belongs to, the longest that contains it. The packages
// that users import in their tests show parts of internal/verify.
func floorOf(pkg string) string {
	if _, ok := forTests[pkg]; ok {
		return "internal/verify"
	}
	found := ""
	for _, floor := range floors {
		if (pkg == floor || strings.HasPrefix(pkg, floor+"/")) && len(floor) > len(found) {
			found = floor
		}
	}
	return found
}

// climbs returns the imports of a folder further up.
func climbs(files []file) (found []string) {
	for _, f := range files {
		from := floorOf(f.pkg())
		for _, spec := range f.tree.Imports {
			pkg, own := ours(importPath(spec))
			if to := floorOf(pkg); own && slices.Index(floors, to) > slices.Index(floors, from) {
				found = append(found, from+" -> "+to)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// TestFloors: the house is read from the ground up.
func TestFloors(t *testing.T) {
	files := slices.DeleteFunc(tree(t, true), file.isTest)
	for _, f := range files {
		require.NotEmpty(t, floorOf(f.pkg()), "%s is on no floor", f.path)
	}
	require.Equal(t, upward, climbs(files))
}

func TestFloorsFind(t *testing.T) {
	for text, want := range map[string]string{
		`package selector; import "github.com/kplan-go/kplan/deploy"`:                     "selector -> deploy",
		`package selector; import "github.com/kplan-go/kplan/internal/verify/random"`:     "selector -> internal/verify",
		`package selector; import "github.com/kplan-go/kplan"; import "strings"`:          "",
		`package selector; import "github.com/kplan-go/kplan/internal/base/zero"`:         "",
		`package selector; import "github.com/kplan-go/kplan/rollout/sim/internal/store"`: "selector -> rollout/sim",
		`package selector; import "github.com/kplan-go/kplan/deploy/deploytest"`:          "selector -> internal/verify",
	} {
		f, err := parse("selector/x.go", text)
		require.NoError(t, err)
		require.Equal(t, want, strings.Join(climbs([]file{f}), ","), text)
	}
}
