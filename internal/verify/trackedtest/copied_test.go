// SPDX-License-Identifier: Apache-2.0

package trackedtest

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/kplan-go/kplan/daemonset" // or go test would reuse a result from before a change
	_ "github.com/kplan-go/kplan/deploy"
	_ "github.com/kplan-go/kplan/replicaset"
)

// TestVetReportsCopies: go vet reports each copy of a Tracker in testdata/copies, and nothing else.
func TestVetReportsCopies(t *testing.T) {
	const path = "testdata/copies/copies.go"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var want []string
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(line, "// copy") {
			want = append(want, fmt.Sprintf("%s:%d", path, i+1))
		}
	}
	out, err := exec.Command("go", "vet", "./testdata/copies").CombinedOutput()
	require.Error(t, err)
	var got []string
	for _, m := range regexp.MustCompile(`(`+path+`:\d+):\d+: (.* (copies|passes) lock.*\bSelf\b.*)`).FindAllStringSubmatch(string(out), -1) {
		got = append(got, m[1])
	}
	require.Equal(t, want, got, "%s", out)
}
