// SPDX-License-Identifier: Apache-2.0

package podorder

import (
	"math"
	"strconv"
)

// AnnotationDeletePriority is the pod annotation with the delete priority of the pod, a 64-bit
// integer: pods with a larger priority are deleted first. It was proposed for Kubernetes and
// never merged (kubernetes/kubernetes#75763).
const AnnotationDeletePriority = "controller.alpha.kubernetes.io/delete-priority"

// A Priority selects how an order uses [AnnotationDeletePriority].
type Priority string

// The uses of a delete priority. The empty Priority ignores the annotation.
const (
	// PriorityFirst compares two pods by priority if both have a valid priority, and all other
	// pairs by the chain. Three pods may form a cycle: see [Order.Sort]. Two different
	// spellings of the same number, such as 1 and +1, tie; the chain compares equal spellings.
	PriorityFirst Priority = "First"
	// PriorityAnnotatedFirst deletes all pods with a valid priority before all others.
	PriorityAnnotatedFirst Priority = "AnnotatedFirst"
	// PriorityMissingAsZero compares all pods by priority. A missing or invalid priority is 0.
	PriorityMissingAsZero Priority = "MissingAsZero"
	// PriorityAfterHealth compares priorities after readiness, as if they were deletion costs
	// with the opposite sign, limited to 32 bits.
	PriorityAfterHealth Priority = "AfterHealth"
)

// ParseDeletePriority returns the priority from the annotations. The priority of a missing or
// invalid value is 0; valid is false only for an invalid value, and present only for a missing
// one. A sign and leading zeros are valid. The number must fit an int64.
func ParseDeletePriority(annotations map[string]string) (priority int64, valid, present bool) {
	text, ok := annotations[AnnotationDeletePriority]
	if !ok {
		return 0, true, false
	}
	priority, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, false, true
	}
	return priority, true, true
}

// priorityOf returns the priority of a pod, or 0, and whether the pod has a valid priority.
func priorityOf(p *Pod) (int64, bool) {
	if len(p.Annotations) == 0 {
		return 0, false
	}
	priority, valid, present := ParseDeletePriority(p.Annotations)
	return priority, valid && present
}

// comparePriority compares two pods by [PriorityFirst]. decided is false if the chain has to
// decide.
func comparePriority(a, b *Pod) (c int, decided bool) {
	if a.Annotations[AnnotationDeletePriority] == b.Annotations[AnnotationDeletePriority] {
		return 0, false
	}
	x, okX := priorityOf(a)
	y, okY := priorityOf(b)
	switch {
	case !okX || !okY:
		return 0, false
	case x > y:
		return -1, true
	case x < y:
		return 1, true
	}
	return 0, true
}

// annotatedKey, priorityKey and costKey are the keys of the stages for the other values of
// Priority. Pods with smaller keys are deleted first. priorityKey returns ^n = -n-1 because -n
// overflows for the smallest n.
func annotatedKey(p *Pod) int64 {
	if _, ok := priorityOf(p); ok {
		return 0
	}
	return 1
}

func priorityKey(p *Pod) int64 {
	n, _ := priorityOf(p)
	return ^n
}

func costKey(p *Pod) int64 {
	n, _ := priorityOf(p)
	return -min(max(n, -math.MaxInt32), -math.MinInt32)
}

func priorityText(p *Pod) string {
	if text, ok := p.Annotations[AnnotationDeletePriority]; ok {
		return strconv.Quote(text)
	}
	return "none"
}
