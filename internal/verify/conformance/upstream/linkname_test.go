// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/kubernetes/pkg/controller/replicaset"
)

// The linker joins names without looking at signatures. So each linked function is
// looked up in the source of upstream, and its parameters and results are compared.
func TestLinkedSignatures(t *testing.T) {
	ofRelease := "release_137.go"
	if Minor < 37 {
		ofRelease = "before_137.go"
	}
	ours, links := map[string]string{}, [][]string{}
	for _, file := range []string{"linkname.go", ofRelease} {
		maps.Copy(ours, functionsOf(t, file, func(f *ast.FuncDecl) bool { return f.Body == nil }))
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		links = append(links, regexp.MustCompile(`(?m)^//go:linkname (\w+) k8s\.io/kubernetes/([\w/]+)\.(\S+)$`).FindAllStringSubmatch(string(text), -1)...)
	}
	require.Len(t, links, len(ours), "a function without a body that is not linked")
	for _, link := range links {
		files, err := filepath.Glob(filepath.Join(root(t), link[2], "*.go"))
		require.NoError(t, err)
		found := false
		for _, file := range files {
			if theirs, ok := functionsOf(t, file, func(*ast.FuncDecl) bool { return true })[link[3]]; ok && !strings.HasSuffix(file, "_test.go") {
				require.Equal(t, theirs, ours[link[1]], link[3])
				found = true
			}
		}
		require.True(t, found, "%s.%s is gone", link[2], link[3])
	}
}

// root returns the folder of upstream's source, as the compiler has recorded it: with
// -trimpath, below the module cache.
func root(t *testing.T) string {
	f := runtime.FuncForPC(reflect.ValueOf(replicaset.NewReplicaSetController).Pointer())
	file, _ := f.FileLine(f.Entry())
	dir, _, ok := strings.Cut(file, "/pkg/controller/")
	require.True(t, ok, file)
	if filepath.IsAbs(dir) {
		return dir
	}
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	require.NoError(t, err)
	return filepath.Join(strings.TrimSpace(string(cache)), dir)
}

// packageNames turns the names that this package has for others into upstream's.
var packageNames = strings.NewReplacer("corev1.", "v1.", "appsv1.", "apps.", "replicaset.", "", "daemon.", "", "deployment.", "")

// functionsOf returns the signatures of the wanted functions and methods of a file, by the linker's
// names. The receiver of a method is its first parameter.
func functionsOf(t *testing.T, file string, wanted func(*ast.FuncDecl) bool) map[string]string {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	signatures := map[string]string{}
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || !wanted(f) {
			continue
		}
		name := f.Name.Name
		if f.Recv != nil {
			name = "(" + types.ExprString(f.Recv.List[0].Type) + ")." + name
			f.Type.Params.List = append(f.Recv.List, f.Type.Params.List...)
		}
		signatures[name] = packageNames.Replace(types.ExprString(f.Type))
	}
	return signatures
}
