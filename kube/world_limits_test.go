// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/kube"
)

// TestWorldLimitRanges: which pods limit ranges refuse, in the words of the API server. A rollout ends, or
// never begins.
func TestWorldLimitRanges(t *testing.T) {
	const both = "requests: {cpu: 500m, memory: 1Gi}, limits: {cpu: 2, memory: 2Gi}"
	for _, tt := range []struct {
		name, resources, limits string
		why                     string
	}{
		{"within", both, "{type: Container, max: {cpu: 2, memory: 2Gi}, min: {cpu: 500m}, maxLimitRequestRatio: {cpu: 4}}", ""},
		{"more than the most", both, "{type: Container, max: {cpu: 1}}", "maximum cpu usage per Container is 1, but limit is 2"},
		{"more than the most is requested", "requests: {cpu: 3}", "{type: Container, default: {cpu: 1}, max: {cpu: 2}}", "maximum cpu usage per Container is 2, but request is 3"},
		{"less than the least", both, "{type: Container, min: {memory: 1500Mi}}", "minimum memory usage per Container is 1500Mi, but request is 1Gi"},
		{"a limit below the least", "requests: {cpu: 1}, limits: {cpu: 100m}", "{type: Container, min: {cpu: 1}}", "minimum cpu usage per Container is 1, but limit is 100m"},
		{"several", both, "{type: Container, max: {memory: 1Gi, cpu: 1}, min: {cpu: 600m}}",
			"[minimum cpu usage per Container is 600m, but request is 500m, maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Container is 1Gi, but limit is 2Gi]"},
		{"ratio", both, "{type: Container, maxLimitRequestRatio: {cpu: 3}}", "cpu max limit to request ratio per Container is 3, but provided ratio is 4.000000"},
		{"ratio without a limit", "requests: {cpu: 1}", "{type: Container, maxLimitRequestRatio: {cpu: 3}}", "cpu max limit to request ratio per Container is 3, but no limit is specified or limit is 0"},
		{"ratio without a request", "", "{type: Container, maxLimitRequestRatio: {cpu: 3}}", "cpu max limit to request ratio per Container is 3, but no request is specified or request is 0"},
		{"the most is the default", "", "{type: Container, max: {cpu: 1}}", ""},
		{"the least is the default of a request", "", "{type: Container, min: {cpu: 1}}", ""},
		{"a default below what is requested", "requests: {cpu: 500m}", "{type: Container, max: {cpu: 100m}}", "maximum cpu usage per Container is 100m, but request is 500m"},
		{"a whole pod", both, "{type: Pod, max: {cpu: 1500m}}", "maximum cpu usage per Pod is 1500m, but limit is 2"},
		{"a whole pod without a limit", "requests: {cpu: 1}", "{type: Pod, max: {cpu: 2}}", "maximum cpu usage per Pod is 2.  No limit is specified"},
		{"a whole pod without a request", "", "{type: Pod, min: {cpu: 1}}", "minimum cpu usage per Pod is 1.  No request is specified"},
		{"a default makes a whole pod too large", "", "{type: Container, default: {cpu: 2}}, {type: Pod, max: {cpu: 1}}", "maximum cpu usage per Pod is 1, but limit is 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pods, why := ran(t, "shop", read(t, webIn("shop", tt.resources), manifest("LimitRange", "small", "spec: {limits: ["+tt.limits+"]}")))
			require.Equal(t, tt.why, why)
			require.Equal(t, why == "", pods == 3)
		})
	}
}

// TestWorldLimitRangesOfNamespaces: a template means something else in a namespace with limit ranges, whatever
// the order of the objects.
func TestWorldLimitRangesOfNamespaces(t *testing.T) {
	objects := read(t, webIn("shop", "limits: {cpu: 2}"), webIn("bar", "limits: {cpu: 2}"), manifest("LimitRange", "small", "spec: {limits: [{type: Container, max: {cpu: 1}}]}"))
	for range objects {
		objects = append(objects[1:], objects[0])
		pods, why := ran(t, "shop", objects)
		require.Zero(t, pods)
		require.Equal(t, "maximum cpu usage per Container is 1, but limit is 2", why)
		pods, why = ran(t, "bar", objects)
		require.Equal(t, 3, pods)
		require.Empty(t, why)
	}
}

// TestWorldCompletes: limits are requests where these are not set, of containers, init containers and whole pods;
// defaults come from limit ranges in the order of their names.
func TestWorldCompletes(t *testing.T) {
	text := manifest("Deployment", "web", `
spec:
  template:
    spec:
      overhead: {cpu: 10m}
      initContainers: [{name: i, resources: {limits: {cpu: 3}}}]
      containers: [{name: c1, resources: {requests: {memory: 1Gi}}}, {name: c2, resources: {limits: {memory: 512Mi}}}]`)
	range1 := manifest("LimitRange", "a", "spec: {limits: [{type: Container, default: {cpu: 1}, defaultRequest: {cpu: 250m}}]}")
	range2 := manifest("LimitRange", "b", "spec: {limits: [{type: Container, default: {cpu: 9, memory: 2Gi}}]}")
	for _, tt := range []struct {
		ranges []string
		needs  []int64
		limits []int64
		unset  map[string][]string
	}{
		{nil, []int64{3010, 1536 << 20, 1}, []int64{3010, 512 << 20, 0}, map[string][]string{"requests.cpu": {"c1", "c2"}, "requests.memory": {"i"}, "limits.cpu": {"c1", "c2"}, "limits.memory": {"c1", "i"}}},
		{[]string{range2, range1}, []int64{3010, 2 << 30, 1}, []int64{3010, 2560 << 20, 0}, nil},
	} {
		s, err := kube.World(read(t, append(tt.ranges, text)...))
		require.NoError(t, err)
		template := s.Templates[s.Deployments[0].Template.ID]
		require.Equal(t, tt.needs, template.Needs)
		require.Equal(t, tt.limits, template.Limits)
		require.Equal(t, tt.unset, template.Unset)
	}
	s, err := kube.World(read(t, manifest("Deployment", "web", "spec: {template: {spec: {resources: {limits: {cpu: 2}}, containers: [{name: c1}]}}}")))
	require.NoError(t, err)
	template := s.Templates[s.Deployments[0].Template.ID]
	require.Equal(t, []any{[]int64{2000, 0, 1}, []int64{2000, 0, 0}}, []any{template.Needs, template.Limits})
	require.Nil(t, template.Unset, "what the pod sets its containers need not")
}
