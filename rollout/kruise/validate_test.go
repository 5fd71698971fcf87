// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

func routed(s kruise.Step, traffic rollout.IntOrPercent) kruise.Step {
	s.Traffic = traffic
	return s
}

func details(es []*kplan.FieldError) (list []string) {
	for _, e := range es {
		list = append(list, e.Detail)
	}
	return list
}

// Each rule with its message, in order.
func TestValidateRules(t *testing.T) {
	const replicas = `replicas must be positive number, or a percentage with "0%" < canaryReplicas <= "100%"`
	const trafficRule = `traffic must be percentage with "0%" < traffic <= "100%" in canary strategy`
	const limit = "For partition style rollout: step[x].replicas must not greater than partition-percent-limit if traffic specified"
	const decrease = "Steps.CanaryReplicas must be a non decreasing sequence"
	p, n := rollout.Percent, rollout.Int
	only := func(v rollout.IntOrPercent) kruise.Rollout { return partitioned(deployment, step(v, 0)) }
	led := func(v, weight rollout.IntOrPercent) kruise.Rollout {
		return partitioned(deployment, routed(step(v, 0), weight))
	}
	extra := func(r kruise.Rollout) kruise.Rollout { r.Canary.EnableExtraWorkloadForCanary = true; return r }
	green := func(r kruise.Rollout) kruise.Rollout { r.BlueGreen, r.Canary = r.Canary, nil; return r }
	of := func(ref workload.Ref) kruise.Rollout { return partitioned(ref, step(p(100), 0)) }
	matches := partitioned(deployment, kruise.Step{Replicas: p(51), Matches: []traffic.Match{{}}})
	routings2 := only(p(100))
	routings2.Canary.TrafficRoutings = routings(2)
	for _, c := range []struct {
		why  string
		r    kruise.Rollout
		want string // "" for none
	}{
		{"kind", of(workload.Ref{APIVersion: "batch/v1", Kind: "Job"}), "WorkloadRef kind is not supported"},
		{"kind: the group counts", of(workload.Ref{APIVersion: "apps/v1", Kind: "CloneSet"}), "WorkloadRef kind is not supported"},
		{"kind", of(workload.Ref{APIVersion: "apps/v1", Kind: "ReplicaSet"}), ""}, {"kind", of(statefulSet), ""}, {"kind", of(daemonSet), ""}, {"kind", of(kruiseSet), ""},
		{"kind", of(workload.Ref{APIVersion: "apps.kruise.io/v1beta1", Kind: "StatefulSet"}), ""},
		{"kind of blue-green", green(of(statefulSet)), "WorkloadRef kind is not supported for bluegreen style"}, {"kind of blue-green", green(of(cloneSet)), ""}, {"kind of blue-green", green(of(deployment)), ""},
		{"one style: none", kruise.Rollout{WorkloadRef: deployment}, "Canary and BlueGreen cannot both be empty"},
		{"one style: both", kruise.Rollout{WorkloadRef: deployment, Canary: of(deployment).Canary, BlueGreen: of(deployment).Canary}, "Canary and BlueGreen cannot both be set"},
		{"steps", partitioned(deployment), "The number of Canary.Steps cannot be empty"},
		{"size is set", partitioned(deployment, kruise.Step{}), "replicas cannot be empty"},
		{"size", only(n(0)), replicas}, {"size", only(n(-1)), replicas}, {"size", only(p(0)), replicas}, {"size", only(p(-5)), replicas}, {"size", only(p(101)), replicas},
		{"size: a number has no upper limit", only(n(1000000)), ""}, {"size", only(p(1)), ""}, {"size", only(p(100)), ""},
		{"limit with traffic", led(p(51), p(20)), limit}, {"limit with traffic", led(p(50), p(20)), ""}, {"limit with traffic: a number is not compared", led(n(99), p(20)), ""}, {"limit with traffic: matches", matches, limit},
		{"limit with traffic: not for an extra Deployment", extra(led(p(51), p(20))), ""}, {"limit with traffic: nor for blue-green", green(led(p(51), p(20))), ""},
		{"traffic", led(p(20), p(0)), trafficRule}, {"traffic", led(p(20), p(101)), trafficRule}, {"traffic: a number is no percentage", led(p(20), n(5)), trafficRule}, {"traffic", led(p(20), p(100)), ""},
		{"traffic: none for blue-green", green(led(p(20), p(0))), ""},
		{"traffic", green(led(p(20), p(101))), `traffic must be percentage with "0%" <= traffic <= "100%" in blueGreen strategy`},
		{"order", partitioned(deployment, step(p(50), 0), step(p(20), 0)), decrease}, {"order", partitioned(deployment, step(n(5), 0), step(n(4), 0)), decrease},
		{"order: equal", partitioned(deployment, step(p(50), 0), step(p(50), 0)), ""}, {"order: not compared", partitioned(deployment, step(p(20), 0), step(n(5), 0), step(p(100), 0)), ""},
		{"order: not compared", partitioned(deployment, step(n(5), 0), step(p(1), 0)), ""},
		{"the first wrong step ends the list", partitioned(deployment, step(p(50), 0), step(p(0), 0), kruise.Step{}), replicas},
		{"routings", routings2, "Rollout currently only support single TrafficRouting."},
	} {
		var want []string
		if c.want != "" {
			want = []string{c.want}
		}
		require.Equal(t, want, details(kruise.Validate(c.r, nil, kruise.Options{})), "%s: %+v", c.why, c.r)
	}
	other := of(deployment)
	other.Name = "other"
	require.Equal(t, []string{"This rollout conflict with Rollout(other)"}, details(kruise.Validate(of(deployment), []kruise.Rollout{other, of(deployment)}, kruise.Options{})), "itself is no other")
	require.Empty(t, kruise.Validate(of(cloneSet), []kruise.Rollout{other}, kruise.Options{}))
	all := kruise.Rollout{WorkloadRef: workload.Ref{APIVersion: "batch/v1", Kind: "Job", Name: "j"}, Canary: &kruise.Strategy{TrafficRoutings: routings(2)}}
	other.WorkloadRef = all.WorkloadRef
	require.Equal(t, []string{"WorkloadRef kind is not supported", "The number of Canary.Steps cannot be empty", "Rollout currently only support single TrafficRouting.",
		"This rollout conflict with Rollout(other)"}, details(kruise.Validate(all, []kruise.Rollout{other}, kruise.Options{})), "all at once, in their order")
}

// What is immutable, and while.
func TestValidateUpdateRules(t *testing.T) {
	base := partitioned(deployment, step(rollout.Percent(20), 0), step(rollout.Percent(100), 0))
	for _, c := range []struct {
		why    string
		change func(r *kruise.Rollout)
		want   []string
	}{
		{"the values of steps may change", func(r *kruise.Rollout) { r.Canary.Steps[0].Replicas = rollout.Percent(30) }, nil},
		{"the workload", func(r *kruise.Rollout) { r.WorkloadRef.Name = "x" }, []string{"Rollout 'ObjectRef' field is immutable"}},
		{"the traffic", func(r *kruise.Rollout) { r.Canary.TrafficRoutings = routings(1) }, []string{"Rollout 'Strategy.TrafficRoutings' field is immutable"}},
		{"the style", func(r *kruise.Rollout) { r.Canary.EnableExtraWorkloadForCanary = true }, []string{"Rollout style field is immutable"}},
		{"the number of steps", func(r *kruise.Rollout) { r.Canary.Steps = r.Canary.Steps[1:] }, []string{"Amount of Rollout steps are immutable"}},
	} {
		for phase, immutable := range map[kruise.Phase]bool{
			kruise.PhaseProgressing: true, kruise.PhaseTerminating: true, kruise.PhaseHealthy: false, kruise.PhaseDisabling: false, kruise.PhaseDisabled: false, "": false,
		} {
			old := base
			old.Status.Phase = phase
			changed := partitioned(deployment, step(rollout.Percent(20), 0), step(rollout.Percent(100), 0))
			c.change(&changed)
			want := c.want
			if !immutable {
				want = nil
			}
			require.Equal(t, want, details(kruise.ValidateUpdate(old, changed, nil, kruise.Options{})), "%s, %s", c.why, phase)
		}
	}
}

// What v1alpha1 asks of its steps.
func TestValidateV1alpha1Rules(t *testing.T) {
	w := func(n int32) *int32 { return &n }
	step := func(weight *int32, v rollout.IntOrPercent) kruise.StepV1alpha1 {
		return kruise.StepV1alpha1{Weight: weight, Replicas: v}
	}
	var unset rollout.IntOrPercent
	for _, c := range []struct {
		why, style string
		led        int
		steps      []kruise.StepV1alpha1
		valid      bool
	}{
		{"neither", "", 0, []kruise.StepV1alpha1{step(nil, unset)}, false},
		{"a weight", "", 0, []kruise.StepV1alpha1{step(w(1), unset)}, true}, {"of all", "", 0, []kruise.StepV1alpha1{step(w(100), unset)}, true},
		{"too small", "", 0, []kruise.StepV1alpha1{step(w(0), unset)}, false}, {"too large", "", 0, []kruise.StepV1alpha1{step(w(101), unset)}, false},
		{"too large beside replicas does not matter", "", 0, []kruise.StepV1alpha1{step(w(101), rollout.Percent(10))}, true},
		{"over 50 by partition", "partition", 0, []kruise.StepV1alpha1{step(w(51), unset)}, false}, {"50", "partition", 0, []kruise.StepV1alpha1{step(w(50), unset)}, true},
		{"limit with traffic", "partition", 0, []kruise.StepV1alpha1{step(w(20), rollout.Percent(51))}, false}, {"limit with trafficRule, without traffic", "partition", 0, []kruise.StepV1alpha1{step(nil, rollout.Percent(51))}, true},
		{"limit with trafficRule, by matches", "partition", 0, []kruise.StepV1alpha1{{Matches: []traffic.Match{{}}, Replicas: rollout.Percent(51)}}, false},
		{"weights decrease", "", 1, []kruise.StepV1alpha1{step(w(20), rollout.Int(1)), step(w(10), rollout.Int(2))}, false},
		{"without traffic they may", "", 0, []kruise.StepV1alpha1{step(w(20), rollout.Int(1)), step(w(10), rollout.Int(2))}, true},
		{"a style that nobody knows", "odd", 0, []kruise.StepV1alpha1{step(w(1), unset)}, false}, {"Canary", "Canary", 0, []kruise.StepV1alpha1{step(w(60), unset)}, true},
	} {
		r := kruise.RolloutV1alpha1{Name: "web", WorkloadRef: deployment, Steps: c.steps, Annotations: map[string]string{workload.AnnotationRollingStyle: c.style}}
		if c.led > 0 {
			r.TrafficRoutings = routings(c.led)
		}
		require.Equal(t, c.valid, len(kruise.ValidateV1alpha1(r, kruise.Options{})) == 0, "%s: %v", c.why, details(kruise.ValidateV1alpha1(r, kruise.Options{})))
	}
}

// The manifest of the introductory article is rejected today, by the limit of a step with traffic: its last step leads
// all traffic to all pods. The same without traffic in that step is not.
func TestArticleManifest(t *testing.T) {
	old := kruise.RolloutV1alpha1{
		Name: "echoserver", WorkloadRef: deployment, Annotations: map[string]string{workload.AnnotationRollingStyle: "partition"},
		TrafficRoutings: []traffic.Routing{{Service: "echoserver", Ingress: &traffic.IngressRef{Name: "echoserver"}}},
	}
	for _, n := range []int32{20, 50, 100} {
		old.Steps = append(old.Steps, kruise.StepV1alpha1{Weight: &n, Replicas: rollout.Percent(n)})
	}
	require.Len(t, kruise.ValidateV1alpha1(old, kruise.Options{}), 1)
	es := kruise.Validate(old.Convert(), nil, kruise.Options{})
	require.Len(t, es, 1)
	require.Equal(t, "Rollout.Canary.Steps[2].Replicas", es[0].Path)
	old.Steps[2].Weight = nil
	require.Empty(t, kruise.ValidateV1alpha1(old, kruise.Options{}))
	require.Empty(t, kruise.Validate(old.Convert(), nil, kruise.Options{}))

	everything := kruise.Options{PercentLimit: 100}
	for i := range old.Steps {
		weight := []int32{20, 50, 100}[i]
		old.Steps[i].Weight = &weight
	}
	require.Empty(t, kruise.ValidateV1alpha1(old, everything), "where the controller runs with --partition-percent-limit=100 it is not")
	require.Empty(t, kruise.Validate(old.Convert(), nil, everything))
	require.Empty(t, kruise.ValidateUpdate(old.Convert(), old.Convert(), nil, everything))
}

// The limit of a step with traffic is a flag of the controller, as is that of a step which has
// a weight alone. No limit lets through what is no share of pods at all.
func TestPercentLimit(t *testing.T) {
	for _, c := range []struct{ limit, most int32 }{{0, 50}, {30, 30}, {50, 50}, {80, 80}, {100, 100}, {1000, 100}, {-1, 0}} {
		opts := kruise.Options{PercentLimit: c.limit}
		for n := int32(1); n <= 101; n++ {
			fits := n <= c.most
			r := partitioned(deployment, routed(step(rollout.Percent(n), 0), rollout.Percent(20)))
			require.Equal(t, fits, len(kruise.Validate(r, nil, opts)) == 0, "limit %d, %d%%", c.limit, n)
			old := kruise.RolloutV1alpha1{
				Name: "web", WorkloadRef: deployment, Annotations: map[string]string{workload.AnnotationRollingStyle: "partition"},
				Steps: []kruise.StepV1alpha1{{Weight: &n}},
			}
			require.Equal(t, fits, len(kruise.ValidateV1alpha1(old, opts)) == 0, "limit %d, weight %d", c.limit, n)
			twenty := int32(20)
			old.Steps[0] = kruise.StepV1alpha1{Weight: &twenty, Replicas: rollout.Percent(n)}
			require.Equal(t, fits, len(kruise.ValidateV1alpha1(old, opts)) == 0, "limit %d, weight 20, %d%%", c.limit, n)
		}
		number := partitioned(deployment, routed(step(rollout.Int(99), 0), rollout.Percent(20)))
		require.Empty(t, kruise.Validate(number, nil, opts), "a number of pods has none")
		alone := partitioned(deployment, step(rollout.Percent(100), 0))
		require.Empty(t, kruise.Validate(alone, nil, opts), "nor has a step without traffic")
	}
}

// Of a weight that is above both limits the flag's is named.
func TestWeightAboveAllLimits(t *testing.T) {
	r := kruise.RolloutV1alpha1{
		Name: "web", WorkloadRef: deployment, Annotations: map[string]string{workload.AnnotationRollingStyle: "partition"},
		Steps: []kruise.StepV1alpha1{{Weight: new(int32)}},
	}
	for _, c := range []struct {
		limit, weight int32
		want          string
	}{
		{0, 150, "For patition style rollout: step[x].weight must not greater than replicasLimitWithTraffic if replicas is not specified"},
		{200, 150, "weight must be positive number, and less than or equal to replicasLimitWithTraffic (defaults to 30)"},
		{0, 0, "weight must be positive number, and less than or equal to replicasLimitWithTraffic (defaults to 30)"},
	} {
		*r.Steps[0].Weight = c.weight
		require.Equal(t, []string{c.want}, details(kruise.ValidateV1alpha1(r, kruise.Options{PercentLimit: c.limit})), "limit %d, weight %d", c.limit, c.weight)
	}
}
