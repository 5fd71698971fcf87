// SPDX-License-Identifier: Apache-2.0

package viewers

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// mostOfPlayground is how many bytes everything that a browser loads of the playground may have.
const mostOfPlayground = 3_000_000

// A played is what was seen of the playground, and shown what it showed at one time.
type played struct {
	Errors, Path, Overlaps                                                   []string
	Example, Slower, Wrong, Stuck, Shared, Nonsense, Encoded, Zones, Hundred shown
	Texts                                                                    []shown
	Same                                                                     bool
	Address                                                                  int
	Wide                                                                     float64
	Times                                                                    []float64 // in milliseconds
}

type shown struct {
	Status, Title, Output, Focus string
	Rows, Facts, Notes, Errors   []string
	Stale                        bool
	Markup                       int
	Over                         float64 // pixels by which the controls reach into the answer
}

// site builds the playground, serves it as any server would, and returns its address.
func site(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	out, err := exec.Command("../../../playground/build", dir).CombinedOutput()
	require.NoError(t, err, string(out))
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	size := int64(0)
	for _, f := range files {
		info, err := f.Info()
		require.NoError(t, err)
		size += info.Size()
	}
	t.Logf("%d bytes", size)
	require.Less(t, size, int64(mostOfPlayground))
	plain := http.FileServer(http.Dir(dir))
	mux := http.NewServeMux()
	mux.Handle("/", plain)
	mux.Handle("/encoded/", http.StripPrefix("/encoded", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".gz") {
			w.Header().Set("Content-Encoding", "x-gzip") // as some servers call every such file
		}
		plain.ServeHTTP(w, r)
	})))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// play uses the playground in the browser.
func play(t *testing.T, texts [][2]string) (p played) {
	t.Helper()
	j := browser(t, job{})
	script(t, "playground.mjs", map[string]any{"tools": j.Tools, "chromium": j.Chromium, "shots": j.Shots, "site": site(t), "texts": texts}, &p)
	require.Empty(t, p.Errors)
	return p
}

// TestPlayground: what is typed is answered as the command answers it, from the keyboard alone,
// and whoever gets the address sees the same.
func TestPlayground(t *testing.T) {
	tools(t)
	v1, err := os.ReadFile(data + "echoserver-v1.yaml")
	require.NoError(t, err)
	v2, err := os.ReadFile(data + "echoserver-v2.yaml")
	require.NoError(t, err)
	hostile := strings.ReplaceAll(string(v2), "registry.k8s.io/echoserver:1.10", "'"+strings.NewReplacer("\n", " ", "\x1b", "", "'", "''").Replace(stranger)+"'")
	p := play(t, [][2]string{{string(v1), string(v2)}, {string(v1), hostile}})
	require.Equal(t, "Complete after 20s.", p.Example.Status)
	require.Equal(t, "Deployment web", p.Example.Title)
	require.Equal(t, "1|0s|5/5|0/2|7|5|rev 2: create with 2 (the template is new)\ndeployment: rev 2 (to stay up to date)\nrev 1: 6 -> 5 (enough are available)", p.Example.Rows[0])
	require.Equal(t, []string{"now", "next", "start", "terminate", "jitter", "notice", "zones", "broken"}, slices.DeleteFunc(slices.Clone(p.Path), func(s string) bool { return strings.ToUpper(s) == s || strings.HasPrefix(s, "step") }))
	require.Contains(t, p.Path, "step1", "the slider of the steps")
	require.Equal(t, "Complete after 1m.", p.Slower.Status, "30 seconds to start instead of 10")

	require.True(t, p.Wrong.Stale)
	require.Equal(t, "Not simulated; this is how it was before.", p.Wrong.Status)
	require.Empty(t, p.Wrong.Errors[0])
	require.Contains(t, p.Wrong.Errors[1], "line ")
	require.Equal(t, p.Slower.Title, p.Wrong.Title, "the last picture stays")
	require.False(t, p.Stuck.Stale)
	require.Contains(t, p.Stuck.Status, "Not complete: the rollout has exceeded its progress deadline")
	require.NotContains(t, p.Stuck.Output, "Step 1 ")
	require.Equal(t, p.Stuck.Rows, p.Shared.Rows)
	require.Equal(t, p.Stuck.Output, p.Shared.Output, "the address keeps the step")
	require.True(t, p.Same)
	require.Less(t, p.Address, 1000)
	require.Contains(t, p.Nonsense.Errors[3], "The address does not hold a rollout")
	require.Equal(t, p.Example.Rows, p.Nonsense.Rows)

	require.Equal(t, p.Example.Rows, p.Encoded.Rows)

	require.Contains(t, p.Texts[0].Notes[0], "Service echoserver")
	require.Contains(t, strings.Join(p.Texts[0].Facts, "\n"), "rev 2 is echoserver-next: registry.k8s.io/echoserver:1.10")
	require.Contains(t, strings.Join(p.Texts[1].Facts, "\n"), terminal.Escape("]]>&amp;\u202e"))
	require.Zero(t, p.Texts[1].Markup)
	require.Contains(t, p.Zones.Rows[len(p.Zones.Rows)-1], "|2/2/2|0|")
	require.Empty(t, p.Overlaps)
	require.LessOrEqual(t, p.Example.Over, 0.0, "no control lies over the answer")
	require.LessOrEqual(t, p.Wide, 0.0)
	require.Contains(t, strings.Join(p.Hundred.Facts, "\n"), "100 replicas, at most 125 wanted, at least 75 available")
	slices.Sort(p.Times)
	t.Logf("from a key to a new picture of 100 pods: %.0f ms, at most %.0f ms", p.Times[len(p.Times)/2], p.Times[len(p.Times)-1])
}
