// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"

	"github.com/kplan-go/kplan/examples/kplan/internal/subject"
)

// TestLibraries: what libraries tell is escaped, and told once.
func TestLibraries(t *testing.T) {
	handlers := utilruntime.ErrorHandlers
	t.Cleanup(func() {
		utilruntime.ErrorHandlers = handlers
		rest.SetDefaultWarningHandler(rest.WarningLogger{})
	})
	var out bytes.Buffer
	Libraries(&out)
	for range 4 {
		utilruntime.HandleErrorWithContext(context.Background(), errors.New("refused by "+hostile), "no group list")
	}
	n := &notices{out: &out, told: map[string]bool{}}
	n.HandleWarningHeader(299, "server", "old "+hostile)
	n.HandleWarningHeader(199, "server", "not for people")
	requireText(t, out.String())
	require.Equal(t, 2, bytes.Count(out.Bytes(), []byte("\n")), out.String())
	require.Equal(t, 2, bytes.Count(out.Bytes(), []byte("note: ")))
}

// TestTooLong: what would take hours ends with a line, whatever is simulated.
func TestTooLong(t *testing.T) {
	defer func(n int64) { subject.MaxLooks = n }(subject.MaxLooks)
	subject.MaxLooks = 20_000
	next := []byte(newWeb("  replicas: 500\n", "2"))
	old := inFile(t, "old.yaml", newWeb("  replicas: 500\n", "1"))
	for _, args := range [][]string{
		{"--from", old, "-f", "-", "--jitter", "1h"}, {"--from", old, "-f", "-", "--start", "p50=10s,p90=30s", "--runs", "1000"},
		{"-f", data + "daemonset/agent-v1.yaml", "--nodes", "3000", "--jitter", "1h"}, {"-f", inFile(t, "web.yaml", aloneSet("500", "web")), "--jitter", "1h"},
	} {
		code, stdout, stderr := run(next, append([]string{"simulate"}, args...)...)
		require.Equal(t, exitFailure, code, args)
		require.Empty(t, stdout)
		require.Contains(t, lastLine(stderr), "too much for one simulation; with --notice-after 1s controllers look less often", args)
	}
	code, _, stderr := run(next, "simulate", "--from", old, "-f", "-", "--jitter", "1h", "--notice-after", "10m", "--time-limit", "100h")
	require.Zero(t, code, stderr)
}

// TestOddManagedFields: managed fields in whatever form are no reason to log.
func TestOddManagedFields(t *testing.T) {
	for _, fields := range []string{`[{time: "x\x1b"}]`, "x", "[x, {time: 3}, {time: {}}]"} {
		_, _, stderr := run([]byte(strings.Replace(good, "{name: web}", "{name: web, managedFields: "+fields+"}", 1)), "plan", "-f", "-")
		require.NotContains(t, stderr, "the present is")
	}
	_, _, stderr := run([]byte(strings.Replace(good, "{name: web}", `{name: web, managedFields: [{manager: m, time: "2026-01-02T15:04:05Z"}]}`, 1)), "plan", "-f", "-")
	require.Contains(t, stderr, "the present is 2026-01-02T15:04:05Z")
}

// TestManyRuns: more runs than anybody waits for are refused.
func TestManyRuns(t *testing.T) {
	code, _, stderr := run(nil, "simulate", "-f", data+"echoserver-v1.yaml", "--start", "p50=10s", "--runs", "1000000000")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "--runs 1000000000: must be from 1 to 10000\n")
}
