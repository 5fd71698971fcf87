// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

const (
	autoscaler = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\nspec: {minReplicas: 3, maxReplicas: 7, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}\n"
	quota      = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: few}\nspec: {hard: {pods: \"4\"}}\n"
	disruption = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: keep}\nspec: {minAvailable: 100%, selector: {matchLabels: {app: web}}}\n"
)

// An autoscaler in the files gives a Deployment its replicas, and keeps those of a live
// one.
func TestAutoscaler(t *testing.T) {
	hpa := inFile(t, "hpa.yaml", autoscaler)
	b := simulated(t, nil, "-f", hpa, "-f", inFile(t, "new.yaml", newWeb("", "1")))
	require.EqualValues(t, 3, b.Steps[len(b.Steps)-1].Total)
	require.Contains(t, b.Assumed, "HorizontalPodAutoscaler web keeps 3 to 7 replicas; they are 3 to begin with")
	b = simulated(t, nil, "-f", hpa, "-f", inFile(t, "new.yaml", newWeb("  replicas: 9\n", "1")))
	require.EqualValues(t, 7, b.Steps[len(b.Steps)-1].Total)
	b = simulated(t, nil, "-f", hpa, "-f", inFile(t, "new.yaml", newWeb("  replicas: 0\n", "1")))
	require.EqualValues(t, 0, b.Steps[len(b.Steps)-1].Total, "which turns it off")
	b = simulated(t, applied("").yaml(t), "-f", hpa, "-f", "-")
	require.EqualValues(t, 4, b.Steps[0].Total)
	require.Contains(t, b.Assumed, "HorizontalPodAutoscaler web keeps 3 to 7 replicas; they stay at 4")
}

// Sizes of live objects are brought into the bounds when the autoscaler looks at them, which
// is later than the controller of Deployments does: what was applied comes first.
func TestAutoscalerOfLive(t *testing.T) {
	hpa := inFile(t, "hpa.yaml", strings.NewReplacer("3", "5", "7", "9").Replace(autoscaler))
	b := simulated(t, applied("").yaml(t), "-f", hpa, "-f", "-")
	require.Contains(t, b.Assumed, "HorizontalPodAutoscaler web keeps 5 to 9 replicas; it scales 4 to 5 within 15 seconds")
	require.Equal(t, []int32{5, 5}, totals(b))
	require.EqualValues(t, 6, b.Bounds.MaxTotal, "of the size that it gets")
	b = simulated(t, applied("").yaml(t), "-f", inFile(t, "few.yaml", strings.NewReplacer("3", "1", "7", "2").Replace(autoscaler)), "-f", "-")
	require.Equal(t, []int32{2, 2}, totals(b))

	dump := inFile(t, "live.yaml", string(applied(newWeb("  replicas: 4\n", "1")).yaml(t)))
	next := inFile(t, "next.yaml", newWeb("  replicas: 1\n", "1"))
	for _, files := range [][]string{{"--from", dump, "-f", next, "-f", hpa}, {"--from", dump, "--from", hpa, "-f", next}} {
		b = simulated(t, nil, files...)
		require.Equal(t, []int32{1, 5, 5}, totals(b), "all but one pod go in between")
		require.EqualValues(t, 15, b.Steps[1].Time)
	}
	b = simulated(t, nil, "--from", dump, "-f", inFile(t, "none.yaml", newWeb("  replicas: 0\n", "1")), "-f", hpa)
	require.Equal(t, []int32{0, 0}, totals(b))
	require.Contains(t, b.Assumed, "HorizontalPodAutoscaler web keeps 5 to 9 replicas; 0 turn it off")
	code, out, stderr := run(applied("").yaml(t), "plan", "-f", hpa, "-f", "-")
	require.Zero(t, code)
	require.Contains(t, out, "Nothing to do", "of the controller that is asked")
	require.Contains(t, stderr, "it scales 4 to 5 within 15 seconds")
}

// So it is with Rollouts of Argo, which are of their size from the start.
func TestAutoscalerOfArgo(t *testing.T) {
	hpa := func(least, most string) string {
		return strings.NewReplacer("3", least, "7", most, "apps/v1, kind: Deployment, name: web", "argoproj.io/v1alpha1, kind: Rollout, name: canary-timed").Replace(autoscaler)
	}
	text, err := os.ReadFile(argoData + "canary-timed.yaml")
	require.NoError(t, err)
	sizeless := inFile(t, "rollout.yaml", strings.Replace(string(text), "  replicas: 5\n", "", 1))
	for want, args := range map[string][]string{
		"HorizontalPodAutoscaler web keeps 6 to 7 replicas; they are 6 to begin with":                  {"-f", sizeless, "-f", inFile(t, "hpa.yaml", hpa("6", "7"))},
		"HorizontalPodAutoscaler web keeps 2 to 7 replicas; it rests, since metrics are not looked at": {"-f", argoData + "canary-timed.yaml", "-f", inFile(t, "wide.yaml", hpa("2", "7"))},
		"HorizontalPodAutoscaler web keeps 2 to 4 replicas; it scales 5 to 4 within 15 seconds":        {"-f", inFile(t, "live.yaml", string(liveArgo(t, argoData+"canary-timed.yaml", nil))), "-f", inFile(t, "few.yaml", hpa("2", "4"))},
	} {
		require.Contains(t, releasedBy(t, nil, args...).Assumed, want)
		_, stdout, stderr := run(nil, append([]string{"plan"}, args...)...)
		require.Contains(t, stderr, `note: Rollout "canary-timed": `+want, stdout)
	}
	require.Contains(t, succeed(t, nil, "plan", "-f", sizeless, "-f", inFile(t, "hpa.yaml", hpa("6", "7"))), "6 replicas")
}

func totals(r believed) (list []int32) {
	for _, s := range r.Steps {
		list = append(list, s.Total)
	}
	return list
}

// What bounds workloads of a cluster is read with them, where that is allowed. Otherwise one
// line says so.
func TestAroundWorkloads(t *testing.T) {
	server, flags := newAPIServer(t, inFile(t, "live.yaml", string(applied("").yaml(t))))
	for i, text := range []string{strings.NewReplacer("3", "5", "7", "9").Replace(autoscaler), quota} {
		o := object(t, text)
		o.SetNamespace("default")
		o.SetUID(types.UID(fmt.Sprint("around-", i)))
		server.objects = append(server.objects, o)
	}
	ask := func(args ...string) (string, string) {
		_, stdout, stderr := run(nil, append(args, flags...)...)
		return stdout, stderr
	}
	scales := "HorizontalPodAutoscaler web keeps 5 to 9 replicas; it scales 4 to 5 within 15 seconds"
	stdout, stderr := ask("simulate", "deployment/web", "-o", "json")
	require.Contains(t, stdout, scales)
	require.Contains(t, stdout, "creations will fail: ResourceQuota few leaves room for 4 pods (pods), and up to 6 are wanted")
	require.NotContains(t, stderr, "not looked at")
	for _, command := range []string{"plan", "explain"} {
		_, stderr = ask(command, "deployment/web")
		require.Contains(t, stderr, `note: Deployment "default/web": `+scales, command)
	}
	server.closed = map[string]bool{"horizontalpodautoscalers": true, "events": true}
	stdout, stderr = ask("explain", "deployment/web")
	require.Contains(t, stdout, "Deployment default/web is complete.")
	require.Equal(t, 1, strings.Count(stderr, "not looked at"), stderr)
	require.Contains(t, stderr, "note: not looked at: horizontalpodautoscalers, events: that is not allowed\n")
	_, stderr = ask("simulate", "--live", "-f", inFile(t, "new.yaml", newWeb("", "2")))
	require.Contains(t, stderr, "note: not looked at: horizontalpodautoscalers: that is not allowed\n")
}

// A quota of the files holds, and what it and a disruption budget forbid is told of in a
// line each.
func TestLimits(t *testing.T) {
	files := []string{"-f", inFile(t, "limits.yaml", quota+"---\n"+disruption)}
	old, next := inFile(t, "old.yaml", newWeb("  replicas: 4\n", "1")), inFile(t, "new.yaml", newWeb("  replicas: 4\n", "2"))
	b := simulated(t, nil, append(files, "--from", old, "-f", next)...)
	require.True(t, b.Done, "one pod may be missing, so that the next can be made")
	for _, s := range b.Steps {
		ready := int32(0)
		for _, rs := range s.Parts {
			ready += rs.Ready
		}
		require.LessOrEqual(t, ready, int32(4))
	}
	require.Equal(t, b.Assumed[0], "creations will fail: ResourceQuota few leaves room for 4 pods (pods), and up to 5 are wanted")
	require.Contains(t, b.Assumed, "PodDisruptionBudget keep wants 4 available pods, and the rollout, which does not heed it, may leave 3: no pod can be evicted then")
	for _, command := range []string{"plan", "explain"} {
		code, _, stderr := run(nil, append(append([]string{command}, files...), "-f", next)...)
		require.Zero(t, code, stderr)
		require.Contains(t, stderr, `note: Deployment "web": creations will fail: ResourceQuota few leaves room for 4 pods`, command)
		require.NotContains(t, stderr, "skipped ResourceQuota")
	}
	none := simulated(t, nil, append(files, "-f", inFile(t, "small.yaml", newWeb("  replicas: 2\n  strategy: {rollingUpdate: {maxUnavailable: 0}}\n", "1")))...)
	require.NotContains(t, none.Assumed, "creations will fail")
	require.NotContains(t, none.Assumed, "evicted")
}
