// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"strconv"
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/union"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// percentLimit returns the largest percentage of pods in a step with traffic, where the
// workload is updated by partition.
func (o Options) percentLimit() int32 {
	if o.PercentLimit == 0 {
		return 50
	}
	return o.PercentLimit
}

// Validate returns the errors for which admission rejects a Rollout, in the order in which they
// are found: of the steps only the first wrong one. Others are the other Rollouts of the
// namespace. Of the options it reads PercentLimit. A text of replicas or weights that is neither a
// number nor a percentage is an error of [rollout.Parse] already.
func Validate(r Rollout, others []Rollout, opts Options) []*kplan.FieldError {
	var es kplan.FieldErrors
	if !supported(r.WorkloadRef) {
		es.Add("Rollout.WorkloadRef", r.WorkloadRef.Kind, "WorkloadRef kind is not supported")
	}
	if r.BlueGreen != nil && !blueGreenKind(r.WorkloadRef) && supported(r.WorkloadRef) {
		es.Add("Rollout.WorkloadRef", r.WorkloadRef.Kind, "WorkloadRef kind is not supported for bluegreen style")
	}
	switch {
	case r.Canary == nil && r.BlueGreen == nil:
		es.Add("Rollout.Canary", nil, "Canary and BlueGreen cannot both be empty")
	case r.Canary != nil && r.BlueGreen != nil:
		es.Add("Rollout.Canary", "set", "Canary and BlueGreen cannot both be set")
	default:
		path := "Rollout.Canary"
		if r.BlueGreen != nil {
			path = "Rollout.BlueGreen"
		}
		validateSteps(&es, r, path+".Steps", opts.percentLimit())
		validateRoutings(&es, r.Strategy().TrafficRoutings, path+".TrafficRoutings")
	}
	for i := range others {
		if others[i].Name != r.Name && others[i].WorkloadRef == r.WorkloadRef {
			es.Add("Rollout.WorkloadRef", r.WorkloadRef.Name, "This rollout conflict with Rollout("+others[i].Name+")")
		}
	}
	return es
}

// ValidateUpdate returns the errors for which admission rejects a change of a Rollout: the
// errors of [Validate] and, while it progresses or terminates, changes of immutable fields.
func ValidateUpdate(old, r Rollout, others []Rollout, opts Options) []*kplan.FieldError {
	es := kplan.FieldErrors(Validate(r, others, opts))
	if p := old.Status.Phase; p != PhaseProgressing && p != PhaseTerminating {
		return es
	}
	if old.WorkloadRef != r.WorkloadRef {
		es.Add("Rollout.WorkloadRef", r.WorkloadRef.Name, "Rollout 'ObjectRef' field is immutable")
	}
	a, b := old.Strategy(), r.Strategy()
	if a == nil || b == nil {
		return es
	}
	if union.Text(a.TrafficRoutings) != union.Text(b.TrafficRoutings) {
		es.Add("Rollout.TrafficRoutings", len(b.TrafficRoutings), "Rollout 'Strategy.TrafficRoutings' field is immutable")
	}
	if old.Style() != r.Style() {
		es.Add("Rollout.Style", string(r.Style()), "Rollout style field is immutable")
	}
	if len(a.Steps) != len(b.Steps) {
		es.Add("Rollout.Steps", len(b.Steps), "Amount of Rollout steps are immutable")
	}
	return es
}

// supported: upstream lets a ReplicaSet through as well, which nothing drives.
func supported(r workload.Ref) bool { return r.Known() || r.GroupKind() == "apps/ReplicaSet" }

func blueGreenKind(r workload.Ref) bool {
	_, err := workload.DriverOf(r, workload.BlueGreen)
	return err == nil
}

// validateSteps records the first error of the steps.
func validateSteps(es *kplan.FieldErrors, r Rollout, path string, limit int32) {
	steps := r.Strategy().Steps
	if len(steps) == 0 {
		es.Add(path, 0, "The number of Canary.Steps cannot be empty")
		return
	}
	for i := range steps {
		if name, value, detail := wrongStep(r, &steps[i], limit); detail != "" {
			es.Add(index(path, i)+name, value, detail)
			return
		}
	}
	for i := 1; i < len(steps); i++ {
		if decreases(steps[i-1].Replicas, steps[i].Replicas) {
			es.Add(index(path, i)+".Replicas", steps[i].Replicas, detailDecrease)
			return
		}
	}
}

const (
	detailDecrease = "Steps.CanaryReplicas must be a non decreasing sequence"
	detailReplicas = `replicas must be positive number, or a percentage with "0%" < canaryReplicas <= "100%"`
)

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// wrongStep returns the error of one step, or an empty detail.
func wrongStep(r Rollout, s *Step, limit int32) (name string, value any, detail string) {
	switch {
	case s.Replicas.IsZero():
		return ".Replicas", nil, "replicas cannot be empty"
	case !validReplicas(s.Replicas):
		return ".Replicas", s.Replicas, detailReplicas
	case s.routed() && r.RealPartition() && s.Replicas.IsPercent() && s.Replicas.Value() > limit:
		return ".Replicas", s.Replicas, "For partition style rollout: step[x].replicas must not greater than partition-percent-limit if traffic specified"
	case s.Traffic.IsZero():
		return "", nil, ""
	}
	least, style := int32(1), `"0%" < traffic <= "100%" in canary strategy`
	if r.BlueGreen != nil {
		least, style = 0, `"0%" <= traffic <= "100%" in blueGreen strategy`
	}
	if !s.Traffic.IsPercent() || s.Traffic.Value() < least || s.Traffic.Value() > 100 {
		return ".Traffic", s.Traffic, "traffic must be percentage with " + style
	}
	return "", nil, ""
}

// validReplicas reports whether a step may have these replicas: a number has no upper
// limit.
func validReplicas(v rollout.IntOrPercent) bool {
	return v.Value() > 0 && (!v.IsPercent() || v.Value() <= 100)
}

// decreases reports whether a step is smaller than the one before. A number and a
// percentage are not compared.
func decreases(before, v rollout.IntOrPercent) bool {
	return before.SameKind(v) && v.Value() < before.Value()
}

// validateRoutings records the errors of the traffic routings.
func validateRoutings(es *kplan.FieldErrors, routings []traffic.Routing, path string) {
	if len(routings) > 1 {
		es.Add(path, len(routings), "Rollout currently only support single TrafficRouting.")
		return
	}
	for i := range routings {
		t, path := &routings[i], index(path, i)
		if t.Service == "" {
			es.Add(path+".Service", "", "TrafficRouting.Service cannot be empty")
		}
		if t.Ingress == nil && t.Gateway == nil && len(t.CustomNetworkRefs) == 0 {
			es.Add(path, nil, "TrafficRoutings are not set")
		}
		if t.Ingress != nil && t.Ingress.Name == "" {
			es.Add(path+".Ingress.Name", "", "TrafficRouting.Ingress.Ingress cannot be empty")
		}
		if t.Gateway != nil && (t.Gateway.HTTPRouteName == nil || *t.Gateway.HTTPRouteName == "") {
			es.Add(path+".Gateway.HTTPRouteName", "", "TrafficRouting.Gateway must set the name of HTTPRoute or HTTPsRoute")
		}
		es.NotNegative(path+".GracePeriodSeconds", t.GracePeriodSeconds)
	}
}

// ValidateV1alpha1 is [Validate] for the older version of the API, which has different
// rules for steps: see [RolloutV1alpha1].
func ValidateV1alpha1(r RolloutV1alpha1, opts Options) []*kplan.FieldError {
	var es kplan.FieldErrors
	ref := r.WorkloadRef
	if !supported(ref) {
		es.Add("Rollout.WorkloadRef", ref.Kind, "WorkloadRef kind is not supported")
	}
	switch strings.ToLower(r.Annotations[workload.AnnotationRollingStyle]) {
	case "", "canary", "partition":
	default:
		es.Add("Rollout.Annotations", r.Annotations[workload.AnnotationRollingStyle], "Rolling style must be 'Canary', 'Partition' or empty")
	}
	validateStepsV1alpha1(&es, r, opts.percentLimit())
	validateRoutings(&es, r.TrafficRoutings, "Rollout.TrafficRoutings")
	return es
}

func validateStepsV1alpha1(es *kplan.FieldErrors, r RolloutV1alpha1, limit int32) {
	const path = "Rollout.Steps"
	if len(r.Steps) == 0 {
		es.Add(path, 0, "The number of Canary.Steps cannot be empty")
		return
	}
	for i := range r.Steps {
		if detail := wrongStepV1alpha1(r, &r.Steps[i], limit); detail != "" {
			es.Add(index(path, i), i, detail)
			return
		}
	}
	for i := 1; i < len(r.Steps); i++ {
		before, s := &r.Steps[i-1], &r.Steps[i]
		switch {
		case len(r.TrafficRoutings) > 0 && before.Weight != nil && s.Weight != nil && *s.Weight < *before.Weight:
			es.Add(index(path, i)+".Weight", *s.Weight, "Steps.Weight must be a non decreasing sequence")
			return
		case decreases(before.replicas(), s.replicas()):
			es.Add(index(path, i)+".Replicas", s.Replicas, detailDecrease)
			return
		}
	}
}

func wrongStepV1alpha1(r RolloutV1alpha1, s *StepV1alpha1, limit int32) string {
	partition := r.partition()
	switch {
	case s.Weight == nil && s.Replicas.IsZero():
		return "weight and replicas cannot be empty at the same time"
	case s.Replicas.IsZero() && partition && *s.Weight > limit:
		return "For patition style rollout: step[x].weight must not greater than replicasLimitWithTraffic if replicas is not specified"
	case s.Replicas.IsZero() && (*s.Weight <= 0 || *s.Weight > 100):
		return "weight must be positive number, and less than or equal to replicasLimitWithTraffic (defaults to 30)"
	case s.Replicas.IsZero():
		return ""
	case !validReplicas(s.Replicas):
		return detailReplicas
	case partition && (s.Weight != nil || len(s.Matches) > 0) && s.Replicas.IsPercent() && s.Replicas.Value() > limit:
		return "For patition style rollout: step[x].replicas must not greater than replicasLimitWithTraffic if traffic or matches specified"
	}
	return ""
}
