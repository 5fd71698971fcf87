// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Quotas of CPU and memory end a rollout whose pods do not fit beside those that run; what
// others use counts, and what the quota does not find in the template is told.
func TestResourceQuota(t *testing.T) {
	web := func(tag, resources string) string {
		return inFile(t, "web.yaml", strings.Replace(newWeb("  replicas: 3\n", tag), "ports:", resources+"ports:", 1))
	}
	quota := func(hard, used string) string {
		return inFile(t, "quota.yaml", "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: compute}\nspec: {hard: {"+hard+"}}\nstatus: {used: {"+used+"}}\n")
	}
	old, small := web("1", `resources: {requests: {cpu: 500m, memory: 1Gi}}, `), web("2", `resources: {requests: {cpu: 500m, memory: 1Gi}}, `)
	large := web("2", `resources: {requests: {cpu: 600m, memory: 1Gi}}, `)
	for _, c := range []struct {
		why, next, hard, used string
		done                  bool
		notes                 []string
	}{
		{"room for a fourth pod", small, "requests.cpu: 2", "", true, nil},
		{"none", small, "requests.cpu: 1900m", "", false, []string{"creations may fail: ResourceQuota compute leaves room for 3 pods (requests.cpu), and up to 4 are wanted"}},
		{"none, by the short name", small, "memory: 3Gi", "", false, []string{"creations may fail: ResourceQuota compute leaves room for 3 pods (requests.memory), and up to 4 are wanted"}},
		{"larger pods", large, "requests.cpu: 2", "", false, []string{"creations may fail: ResourceQuota compute leaves room for 3 pods (requests.cpu), and up to 4 are wanted"}},
		{"others use it", small, "requests.cpu: 3", "requests.cpu: 2700m", false, []string{"creations may fail: ResourceQuota compute leaves room for 3 pods (requests.cpu), and up to 4 are wanted"}},
		{"what runs uses it", small, "requests.cpu: 2", "requests.cpu: 1500m", true, nil},
		{"it counts what is not there", small, "limits.cpu: 100", "", false, []string{"ResourceQuota compute counts limits.cpu, which container web does not set: creations fail"}},
	} {
		b := simulated(t, nil, "--from", old, "-f", c.next, "-f", quota(c.hard, c.used))
		require.Equal(t, c.done, b.Done, c.why)
		for _, note := range c.notes {
			require.Contains(t, b.Assumed, note, c.why)
		}
		if c.notes == nil {
			require.NotContains(t, strings.Join(b.Assumed, " "), "compute", c.why)
		}
	}
}

// A LimitRange gives containers what they do not set, and refuses what is out of its bounds.
func TestLimitRange(t *testing.T) {
	old, next := inFile(t, "old.yaml", newWeb("  replicas: 3\n", "1")), func(resources string) string {
		return inFile(t, "next.yaml", strings.Replace(newWeb("  replicas: 3\n", "2"), "ports:", resources+"ports:", 1))
	}
	hard := inFile(t, "quota.yaml", "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: compute}\nspec: {hard: {limits.cpu: 2}}\n")
	for _, c := range []struct {
		why, limits, resources string
		done                   bool
		note                   string
	}{
		{"a default that fits", "default: {cpu: 500m}", "", true, ""},
		{"the largest is the default of the API server", "max: {cpu: 500m}", "", true, ""},
		{"a default of which the quota has for two", "default: {cpu: 1}", "", false, "creations may fail: ResourceQuota compute leaves room for 2 pods (limits.cpu), and up to 4 are wanted"},
		{"none for what is counted", "default: {memory: 1Gi}", "", false, "ResourceQuota compute counts limits.cpu, which container web does not set: creations fail"},
		{"more than the largest", "max: {cpu: 400m}", "resources: {limits: {cpu: 500m}}, ", false, "LimitRange range bounds the cpu of containers to 400m, and container web has 500m: creations fail"},
		{"less than the smallest", "min: {cpu: 400m}", "resources: {requests: {cpu: 300m}, limits: {cpu: 500m}}, ", false, "LimitRange range bounds the cpu of containers to 400m, and container web has 300m: creations fail"},
		{"another namespace", "max: {cpu: 400m}}]}}\n---\n{apiVersion: v1, kind: LimitRange, metadata: {name: own}, spec: {limits: [{type: Container, default: {cpu: 500m}", "", true, ""},
	} {
		elsewhere := ""
		if c.why == "another namespace" {
			elsewhere = ", namespace: else"
		}
		ranges := inFile(t, "range.yaml", "{apiVersion: v1, kind: LimitRange, metadata: {name: range"+elsewhere+"}, spec: {limits: [{type: Container, "+c.limits+"}]}}\n")
		_, _, stderr := run(nil, "simulate", "--from", old, "-f", next(c.resources), "-f", hard, "-f", ranges)
		require.NotContains(t, stderr, "skipped")
		b := simulated(t, nil, "--from", old, "-f", next(c.resources), "-f", hard, "-f", ranges)
		require.Equal(t, c.done, b.Done, c.why)
		if c.note == "" {
			require.NotContains(t, strings.Join(b.Assumed, " "), "fail", c.why)
			continue
		}
		require.Contains(t, b.Assumed, c.note, c.why)
	}
}

// Where quotas and disruption budgets are not looked at, that is told.
func TestUnheeded(t *testing.T) {
	bounds := inFile(t, "bounds.yaml", quota+"---\n"+strings.Replace(disruption, "{app: web}", "{app: agent}", 1)+"---\n"+
		"{apiVersion: v1, kind: Node, metadata: {name: a, labels: {kubernetes.io/os: linux}}, status: {allocatable: {cpu: 1}}}\n")
	b := releasedBy(t, nil, "-f", data+"daemonset/agent-v1.yaml", "-f", bounds)
	require.Equal(t, []string{
		"PodDisruptionBudget keep is not looked at for DaemonSets, which do not heed it either: no pod may be evicted",
		"nodes have the room that the pods in the input leave",
	}, b.Assumed[:2])
	b = releasedBy(t, nil, "-f", argoData+"canary-timed.yaml", "-f", bounds)
	few := "creations will fail: ResourceQuota few leaves room for 4 pods (pods), and up to 7 are wanted"
	require.Equal(t, few, b.Assumed[0], "it is looked at")
	b = releasedBy(t, nil, "--from", data+"echoserver-v1.yaml", "-f", data+"echoserver-v2.yaml", "-f", data+"rollout/echoserver.yaml", "-f", bounds)
	require.Equal(t, strings.Replace(few, "7", "8", 1), b.Assumed[0], "of OpenKruise, too")
	require.NotContains(t, releasedBy(t, nil, "-f", data+"daemonset/agent-v1.yaml", "--nodes", "1").Assumed, "nodes have the room that the pods in the input leave")
}
