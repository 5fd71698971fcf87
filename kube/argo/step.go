// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"math"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/argo"
)

// A CanaryStep is one step. Its fields have the same order as in the API: the hash of
// the steps depends on it.
type CanaryStep struct {
	SetWeight      *int32          `json:"setWeight,omitempty"`
	Pause          *Pause          `json:"pause,omitempty"`
	Experiment     map[string]any  `json:"experiment,omitempty"`
	Analysis       *Analysis       `json:"analysis,omitempty"`
	SetCanaryScale *SetCanaryScale `json:"setCanaryScale,omitempty"`
	SetHeaderRoute *HeaderRoute    `json:"setHeaderRoute,omitempty"`
	SetMirrorRoute *MirrorRoute    `json:"setMirrorRoute,omitempty"`
	Plugin         map[string]any  `json:"plugin,omitempty"`
}

// A Pause lasts for a number of seconds, or for a text such as 1h; nil waits for a
// person.
type Pause struct {
	Duration *intstr.IntOrString `json:"duration,omitempty"`
}

// A SetCanaryScale sets the size of the canary independently of its traffic.
type SetCanaryScale struct {
	Weight             *int32 `json:"weight,omitempty"`
	Replicas           *int32 `json:"replicas,omitempty"`
	MatchTrafficWeight bool   `json:"matchTrafficWeight,omitempty"`
}

// An Analysis lists the metrics to measure.
type Analysis struct {
	Templates            []AnalysisTemplate     `json:"templates,omitempty"`
	Args                 []AnalysisArgument     `json:"args,omitempty"`
	DryRun               []DryRun               `json:"dryRun,omitempty"`
	MeasurementRetention []MeasurementRetention `json:"measurementRetention,omitempty"`
	AnalysisRunMetadata  *AnalysisRunMetadata   `json:"analysisRunMetadata,omitempty"`
}

// A BackgroundAnalysis runs during the steps.
type BackgroundAnalysis struct {
	Analysis     `json:",inline"`
	StartingStep *int32 `json:"startingStep,omitempty"`
}

// An AnalysisTemplate is a reference to a template of analyses.
type AnalysisTemplate struct {
	TemplateName string `json:"templateName"`
	ClusterScope *bool  `json:"clusterScope,omitempty"`
}

// An AnalysisArgument is an argument of an analysis.
type AnalysisArgument struct {
	Name      string             `json:"name"`
	Value     string             `json:"value,omitempty"`
	ValueFrom *AnalysisValueFrom `json:"valueFrom,omitempty"`
}

// An AnalysisValueFrom is the source of the value of an argument.
type AnalysisValueFrom struct {
	PodTemplateHashValue *string   `json:"podTemplateHashValue,omitempty"`
	FieldRef             *FieldRef `json:"fieldRef,omitempty"`
}

// A FieldRef names a field of the Rollout.
type FieldRef struct {
	FieldPath string `json:"fieldPath"`
}

// A DryRun names a metric that does not affect the result.
type DryRun struct {
	MetricName string `json:"metricName"`
}

// A MeasurementRetention is the number of measurements of a metric that are kept.
type MeasurementRetention struct {
	MetricName string `json:"metricName"`
	Limit      int32  `json:"limit"`
}

// AnalysisRunMetadata holds labels and annotations of the runs.
type AnalysisRunMetadata struct {
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// A HeaderRoute sends requests with matching headers to the canary.
type HeaderRoute struct {
	Name  string        `json:"name,omitempty"`
	Match []HeaderMatch `json:"match,omitempty"`
}

// A HeaderMatch is a header and its value.
type HeaderMatch struct {
	HeaderName  string       `json:"headerName"`
	HeaderValue *StringMatch `json:"headerValue"`
}

// A StringMatch selects texts.
type StringMatch struct {
	Exact  string `json:"exact,omitempty"`
	Prefix string `json:"prefix,omitempty"`
	Regex  string `json:"regex,omitempty"`
}

// A MirrorRoute copies requests to the canary.
type MirrorRoute struct {
	Name       string       `json:"name"`
	Match      []RouteMatch `json:"match,omitempty"`
	Percentage *int32       `json:"percentage,omitempty"`
}

// A RouteMatch selects requests.
type RouteMatch struct {
	Method  *StringMatch           `json:"method,omitempty"`
	Path    *StringMatch           `json:"path,omitempty"`
	Headers map[string]StringMatch `json:"headers,omitempty"`
}

// step returns the step in the form of package argo, and adds its errors. Scales, routes
// and plugins may be combined with other kinds.
func (s *CanaryStep) step(es *kplan.FieldErrors, path string, maxWeight int32) argo.Step {
	var step argo.Step
	alone, kinds := 0, 0
	count := func(there, isAlone bool) bool {
		if there {
			kinds++
		}
		if there && isAlone {
			alone++
		}
		return there
	}
	if count(s.SetWeight != nil, true) {
		if w := *s.SetWeight; w < 0 || w > maxWeight {
			es.Add(path+".setWeight", w, "must be between 0 and "+strconv.Itoa(int(maxWeight)))
		}
		step.SetWeight = ptr.To(*s.SetWeight)
	}
	if count(s.Pause != nil, true) {
		step.Pause = s.Pause.pause(es, path+".pause.duration")
	}
	if count(s.SetCanaryScale != nil, false) {
		step.SetCanaryScale = s.SetCanaryScale.scale(es, path+".setCanaryScale")
	}
	for _, other := range []struct {
		there, alone bool
		kind         string
	}{
		{s.Plugin != nil, false, argo.StepPlugin}, {s.SetMirrorRoute != nil, false, argo.StepMirrorRoute}, {s.SetHeaderRoute != nil, false, argo.StepHeaderRoute},
		{s.Analysis != nil, true, argo.StepAnalysis}, {s.Experiment != nil, true, argo.StepExperiment},
	} {
		if count(other.there, other.alone) {
			step.Other = other.kind // the last is looked at first
		}
	}
	step.Routes = s.routes(es, path)
	if kinds == 0 || alone > 1 {
		es.Add(path, kinds, "must hold one of setWeight, pause, setCanaryScale, setHeaderRoute, setMirrorRoute, analysis, experiment and plugin")
	}
	return step
}

func (p *Pause) pause(es *kplan.FieldErrors, path string) *argo.Pause {
	if p.Duration == nil {
		return &argo.Pause{}
	}
	seconds, ok := int64(p.Duration.IntVal), true
	if p.Duration.Type == intstr.String {
		seconds, ok = secondsOf(p.Duration.StrVal)
	}
	if !ok || seconds < 0 {
		es.Add(path, p.Duration.String(), "must be a number of seconds or a duration such as 10m")
	}
	return &argo.Pause{Duration: ptr.To(int32(seconds))}
}

// secondsOf parses a duration with or without a unit.
func secondsOf(text string) (int64, bool) {
	if n, err := strconv.ParseInt(text, 10, 32); err == nil {
		return n, true
	}
	d, err := time.ParseDuration(text)
	if n := d / time.Second; err == nil && n <= math.MaxInt32 && n >= math.MinInt32 {
		return int64(n), true
	}
	return 0, false
}

func (c *SetCanaryScale) scale(es *kplan.FieldErrors, path string) *argo.CanaryScale {
	if c.Replicas != nil {
		es.NotNegative(path+".replicas", *c.Replicas)
	}
	if c.Weight != nil {
		es.NotNegative(path+".weight", *c.Weight)
	}
	scale := argo.CanaryScale{MatchTrafficWeight: c.MatchTrafficWeight}
	if c.Replicas != nil {
		scale.Replicas = ptr.To(*c.Replicas)
	}
	if c.Weight != nil {
		scale.Weight = ptr.To(*c.Weight)
	}
	return &scale
}
