// SPDX-License-Identifier: Apache-2.0

package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// claim is a sentence that says as which release everything decides, dialects aside, which are
// much older.
var claim = regexp.MustCompile(`(?:decides? as|plans as|compares as|follows|decisions of|order of) Kubernetes (1\.[3-9]\d)`)

// claims returns the claims of a text for another release.
func claims(name, text, release string) (wrong []string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\n\t// ", " "), "\n// ", " ")
	for _, m := range claim.FindAllStringSubmatch(text, -1) {
		if m[1] != release {
			wrong = append(wrong, name+": "+m[0]+", but it is compared with "+release)
		}
	}
	return wrong
}

// TestRelease: the release that comments and pages promise is the one that the comparison
// has in its go.mod.
func TestRelease(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join(root, "internal", "verify", "conformance", "go.mod"))
	require.NoError(t, err)
	compared := regexp.MustCompile(`(?m)^require k8s\.io/kubernetes v(1\.\d+)\.`).FindSubmatch(mod)
	require.NotNil(t, compared)
	found := 0
	texts(t, func(name, text string) {
		if strings.HasPrefix(name, "internal/verify/house/") || name == "CHANGELOG.md" {
			return
		}
		found += len(claim.FindAllString(strings.ReplaceAll(text, "\n// ", " "), -1))
		require.Empty(t, claims(name, text, string(compared[1])))
	})
	require.Greater(t, found, 9)
}

// TestReleaseOfNames: names are hashes of the API's structs, so programs that print or choose names
// are built with the structs of the compared release.
func TestReleaseOfNames(t *testing.T) {
	api := func(module string) string {
		mod, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(module), "go.mod"))
		require.NoError(t, err)
		version := regexp.MustCompile(`(?m)^\s(?:require )?k8s\.io/api (v\S+)`).FindSubmatch(mod)
		require.NotNil(t, version, module)
		return string(version[1])
	}
	for _, module := range []string{"examples/kplan", "examples/controller", "internal/verify/e2e"} {
		require.Equal(t, api("internal/verify/conformance"), api(module), module)
	}
}

func TestClaims(t *testing.T) {
	require.Empty(t, claims("a.go", "// The zero Options decides as Kubernetes 1.37 does", "1.37"))
	require.Equal(t, []string{"a.go: decides as Kubernetes 1.36, but it is compared with 1.37"},
		claims("a.go", "// The zero Options decides\n// as Kubernetes 1.36.3 does", "1.37"))
}

// TestSupported: the head of the changelog names the oldest and the newest version that CI tests
// with, and the requirements of the modules.
func TestSupported(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		return string(text)
	}
	head, _, _ := strings.Cut(read("CHANGELOG.md"), "\n## ")
	said := regexp.MustCompile(`from k8s\.io/api v(0\.\d+) to v(0\.\d+);(?s:.*) Go (1\.\d+),.* programs want Go (1\.\d+)\.`).FindStringSubmatch(head)
	require.Len(t, said, 5)
	oldest, newest, planners, programs := said[1], said[2], said[3], said[4]
	require.Contains(t, read("kube/go.mod"), "k8s.io/api v"+oldest+".")
	require.Contains(t, read("go.mod"), "go "+planners+".")
	require.Contains(t, read("kube/go.mod"), "go "+planners+".")
	require.Contains(t, read("examples/kplan/go.mod"), "go "+programs+".")
	run := read(".ci/run")
	require.Contains(t, run, "oldest_go=go"+planners+".")
	require.Contains(t, run, " kube v"+oldest+".")
	require.Contains(t, run, " kube v"+newest+".")
}
