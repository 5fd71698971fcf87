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

// PartitionedBy returns the value for the field Partitioned of a Deployment, or nil if the
// Deployment is not rolled by partition. OpenKruise Rollouts rolls a Deployment by partition if all
// of the following hold:
//
//   - its annotation [partition.AnnotationControlInfo] is not empty
//   - its strategy is Recreate, and it is paused
//   - its annotation [partition.AnnotationStrategy] is readable and has another rollingStyle
//     than Canary
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
// partitioned Deployments does. It differs from [partition.ParseStrategy] in the strings that
// it accepts:
//
//   - An empty text is an error.
//   - If the partition is a string other than a percentage, it counts as 0%.
//   - If maxSurge or maxUnavailable is such a string, RollingUpdate is nil: both count as 0.
//   - If the partition is another spelling of 100%, such as "0100%", it is read as 101%.
//     Only "100%" lets the new ReplicaSet have all pods.
//
// The error is a [kplan.FieldError]: for text that is not JSON of this form, or for a number
// that does not fit into 32 bits.
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

// A written value is a number, or an unchecked string, of an annotation.
type written struct {
	number rollout.IntOrPercent // if text is nil
	text   *string
}

// UnmarshalJSON reads a number of 32 bits, any string, or null, which is unset.
func (w *written) UnmarshalJSON(data []byte) error {
	*w = written{}
	if bytes.HasPrefix(data, []byte{'"'}) {
		return json.Unmarshal(data, &w.text)
	}
	return w.number.UnmarshalJSON(data)
}

// value returns the number or percentage. For any other string ok is false. A percentage beyond 32
// bits ends at the bounds of int32.
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

// partition returns the value as a partition. Only the string "100%" means all pods. Other
// spellings of 100% become 101%, which like any share above 100% leaves at least one old pod.
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
