package command

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
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

// TestManyRuns: more runs than anybody waits for are refused.
func TestManyRuns(t *testing.T) {
	code, _, stderr := run(nil, "simulate", "-f", data+"echoserver-v1.yaml", "--start", "p50=10s", "--runs", "1000000000")
	require.Equal(t, 1, code)
	require.Equal(t, "note: skipped 1 Ingress, 1 Service\nerror: --runs 1000000000: at most 10000\n", stderr)
}
