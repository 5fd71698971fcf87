package house

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// most is how many lines go doc may need for a package: what a reader can hold in the head.
const most = 100

// larger are packages that need more lines, and how many. A number may only shrink.
var larger = map[string]int{}

// documented returns how many lines the short documentation of a package has: one for each
// function and type, and one for each group of constants without a type of the package.
func documented(t *testing.T, folder string) int {
	t.Helper()
	cmd := exec.Command("go", "doc", "-short", ".")
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s: %s", folder, out)
	return strings.Count(string(out), "\n")
}

// No package that users import has more names than a person can hold in the head.
func TestNames(t *testing.T) {
	seen := 0
	for pkg := range imports {
		if strings.HasPrefix(pkg, "internal/") {
			continue
		}
		seen++
		n, limit := documented(t, root+"/"+pkg), max(most, larger[pkg])
		require.Positive(t, n, pkg)
		if n > limit {
			t.Errorf("%s has %d lines of go doc -short, more than %d", pkg, n, limit)
		}
		if l, ok := larger[pkg]; ok && n < l {
			t.Errorf("%s has %d lines only: lower its limit of %d", pkg, n, l)
		}
	}
	require.Greater(t, seen, 10)
}
