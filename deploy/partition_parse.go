// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

// PartitionedBy returns the strategy for the field Partitioned, or nil if the Deployment is
// not rolled by partition. It is if a controller of batches holds it, its own strategy is
// Recreate, it is paused, and its annotation is readable and has another style than Canary.
//
// It mirrors IsUnderRolloutControl of OpenKruise Rollouts.
func PartitionedBy(d Deployment) *partition.Strategy {
	if d.Annotations[partition.AnnotationControlInfo] == "" || d.Strategy != Recreate || !d.Paused {
		return nil
	}
	p, err := ParsePartitioned(d.Annotations[partition.AnnotationStrategy])
	if err != nil || p.RollingStyle == styleCanary {
		return nil
	}
	return &p
}

// ParsePartitioned reads the annotation [partition.AnnotationStrategy] as the controller of
// partitioned Deployments does. Text that is neither a number nor a percentage is no error,
// unlike in [partition.ParseStrategy]. As a partition it counts as 0. As a limit of the
// rolling update it sets both to 0, so that there is no RollingUpdate. 100% in other words,
// such as 0100%, is not everything, and is read as 101%.
//
// In all other cases the Text of the result is the annotation again.
func ParsePartitioned(text string) (partition.Strategy, error) {
	var w struct {
		RollingStyle  string `json:"rollingStyle"`
		RollingUpdate *struct {
			MaxUnavailable written `json:"maxUnavailable"`
			MaxSurge       written `json:"maxSurge"`
		} `json:"rollingUpdate"`
		Paused    bool    `json:"paused"`
		Partition written `json:"partition"`
	}
	if err := json.Unmarshal([]byte(text), &w); err != nil {
		return partition.Strategy{}, &kplan.FieldError{
			Path: partition.AnnotationStrategy, Value: text, Detail: "must be a strategy in JSON", Err: err,
		}
	}
	s := partition.Strategy{RollingStyle: w.RollingStyle, Paused: w.Paused, Partition: w.Partition.partition()}
	if ru := w.RollingUpdate; ru != nil {
		surge, ok := ru.MaxSurge.value()
		unavailable, also := ru.MaxUnavailable.value()
		if ok && also {
			s.RollingUpdate = &partition.RollingUpdate{MaxSurge: surge, MaxUnavailable: unavailable}
		}
	}
	return s, nil
}

// A written value is an unchecked number or percentage of an annotation.
type written struct {
	number rollout.IntOrPercent // if it was no text
	text   *string
}

// UnmarshalJSON reads a number of 32 bits, any text, or null.
func (w *written) UnmarshalJSON(data []byte) error {
	*w = written{}
	if bytes.HasPrefix(data, []byte{'"'}) {
		return json.Unmarshal(data, &w.text)
	}
	return w.number.UnmarshalJSON(data)
}

// value returns the number or percentage; ok is false if it is neither.
func (w written) value() (v rollout.IntOrPercent, ok bool) {
	if w.text == nil {
		return w.number, true
	}
	digits, isPercent := strings.CutSuffix(*w.text, "%")
	if !isPercent {
		return rollout.IntOrPercent{}, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return rollout.IntOrPercent{}, false
	}
	return rollout.Percent(int32(max(math.MinInt32, min(n, math.MaxInt32)))), true
}

// partition returns the value as a partition. Only the text 100% means everything. Other
// texts for it become 101%, which counts like any share above 100%.
func (w written) partition() rollout.IntOrPercent {
	v, ok := w.value()
	switch {
	case !ok:
		return rollout.Percent(0)
	case v.Equal(rollout.Percent(100)) && *w.text != "100%":
		return rollout.Percent(101)
	}
	return v
}
