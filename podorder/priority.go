// SPDX-License-Identifier: Apache-2.0

package podorder

import (
	"math"
	"strconv"
)

// AnnotationDeletePriority is the pod annotation that determines how early the pod is deleted,
// compared with other pods with the annotation: an integer, larger is earlier. It was
// proposed for Kubernetes and never merged (kubernetes/kubernetes#75763).
const AnnotationDeletePriority = "controller.alpha.kubernetes.io/delete-priority"

// A Priority selects how an order uses [AnnotationDeletePriority].
type Priority string

// The uses of a delete priority. The empty Priority ignores the annotation.
const (
	// PriorityFirst compares two pods by priority first if both have a valid one, and all
	// other pairs by the chain. With more than two pods that is not an order: see
	// [Order.Sort]. Two different spellings of the same number tie.
	PriorityFirst Priority = "First"
	// PriorityAnnotatedFirst deletes all pods with a valid priority first.
	PriorityAnnotatedFirst Priority = "AnnotatedFirst"
	// PriorityMissingAsZero compares all pods by priority; pods without one have priority 0.
	PriorityMissingAsZero Priority = "MissingAsZero"
	// PriorityAfterHealth compares priorities after readiness, as a deletion cost with the
	// opposite sign.
	PriorityAfterHealth Priority = "AfterHealth"
)

// ParseDeletePriority returns the priority from the annotations. A missing or invalid value is
// priority 0; valid is false only for an invalid one, and present distinguishes a missing one from
// 0. One sign and leading zeros are valid; the number must fit 64 bits.
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

// priorityOf returns the priority, and whether there is a valid one.
func priorityOf(p *Pod) (int64, bool) {
	if len(p.Annotations) == 0 {
		return 0, false
	}
	priority, valid, present := ParseDeletePriority(p.Annotations)
	return priority, valid && present
}

// comparePriority is the rule that the priority adds before a chain: decided is false if the
// chain has to decide.
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

// annotatedKey, priorityKey and costKey are the keys of the stages that a Priority adds. The
// complement of a number reverses its order without overflow.
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
