// SPDX-License-Identifier: Apache-2.0

package viewers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// sized returns a Deployment with so many replicas.
func sized(name string, replicas int) []byte {
	return fmt.Appendf(nil, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: %s, namespace: default}
spec:
  replicas: %d
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "registry.example.com/web:1"}]}}
`, name, replicas)
}

// TestPictures: however many pods there are and however long names are, no text of a picture lies
// on another or ends outside.
func TestPictures(t *testing.T) {
	tools(t)
	dir, long := t.TempDir(), strings.Repeat("a-long-name-", 5)+"web"
	var files []string
	for i, tt := range []struct {
		stdin []byte
		args  []string
	}{
		{nil, append(echoserver, "--nodes", "6", "--zones", "3")},
		{nil, []string{"simulate", "-f", data + "rollout/traffic.yaml", "--heal"}},
		{sized("web", 6000), []string{"simulate", "-f", "-"}},
		{sized("web", 10_000), []string{"simulate", "-f", "-"}},
		{sized("web", 100_000), []string{"simulate", "-f", "-"}},
		{sized(long, 10), []string{"simulate", "-f", "-"}},
	} {
		file := filepath.Join(dir, fmt.Sprint(i, ".svg"))
		kplan(t, tt.stdin, append(tt.args, "--svg", file)...)
		files = append(files, file)
	}
	s := look(t, job{Pictures: files})
	require.Len(t, s.Pictures, len(files))
	for i, p := range s.Pictures {
		require.Empty(t, p.Overlaps, files[i])
		require.Empty(t, p.Outside, files[i])
	}
	require.Contains(t, s.Pictures[4].Texts, "100000")
	require.Contains(t, strings.Join(s.Pictures[5].Texts, ""), "Deployment default/"+long)
}

// TestPage: pages work in a browser without a network, from the keyboard alone and in a narrow
// window, and no text of a chart lies on another.
func TestPage(t *testing.T) {
	tools(t)
	dir := t.TempDir()
	var files []string
	add := func(name string, stdin []byte, args ...string) {
		file := filepath.Join(dir, name+".html")
		kplan(t, stdin, append(args, "--html", file)...)
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(40_000), name)
		files = append(files, file)
	}
	add("good", nil, append(echoserver, "--nodes", "6", "--zones", "3")...)
	add("stuck", nil, append(echoserver, "--never-ready")...)
	add("daemons", nil, "simulate", "--from", data+"daemonset/agent-v1.yaml", "-f", data+"daemonset/agent-v2.yaml", "--nodes", "10")
	add("traffic", nil, "simulate", "-f", data+"rollout/traffic.yaml", "--heal")
	add("two", nil, append(echoserver, "-f", data+"storefront-v1.yaml")...)
	add("hostile", forgedRelease(t), "simulate", "-f", "-", "--heal")
	add("large", sized("web", 100_000), "simulate", "-f", "-")
	s := look(t, job{Pages: files})
	require.Len(t, s.Pages, len(files))
	for i, p := range s.Pages {
		require.Empty(t, p.Overlaps, files[i])
		require.LessOrEqual(t, p.Wide, 0.0, files[i])
		require.Zero(t, p.Markup)
		require.Equal(t, p.Last.Output, p.Again.Output, "the address keeps the step")
	}
	good := s.Pages[0]
	require.Equal(t, "Deployment echoserver", good.Title)
	require.Equal(t, 6, good.Rows)
	require.Equal(t, moment{
		Output: "Step 1 of 6, at 0s", Focus: "BODY", Row: 0, Cursor: 52,
		Events: []string{"rev 2: create with 2\nthe template is new", "deployment: rev 2\nto stay up to date", "rev 1: 6 -> 5\nenough are available"},
	}, good.First)
	require.Equal(t, "INPUT", good.Third.Focus)
	require.Equal(t, "Step 3 of 6, at 10s", good.Third.Output)
	require.Equal(t, 2, good.Third.Row)
	require.Greater(t, good.Third.Cursor, 300.0)
	require.Equal(t, []string{"complete\nall pods are new and available"}, good.Last.Events)
	require.Equal(t, 1, good.Clicked.Row)
	require.Contains(t, good.Tip, "9.9s, after step 2\nrev 1 ready: 5\nrev 2 ready: 0\nwanted: 8\navailable: 5\nin zone-1: 2\nin zone-2: 3\nin zone-3: 3")
	stuck := strings.Join(s.Pages[1].Last.Events, "\n")
	require.Contains(t, stuck, "rev 2: waits\n8 pods are wanted, 8 may be\n")
	require.Contains(t, stuck, "What ends it: ")
	require.Equal(t, 2, s.Pages[4].Sections)
	require.Contains(t, s.Pages[5].Title, "Rollout default/"+terminal.Escape(stranger)[:20])
}
