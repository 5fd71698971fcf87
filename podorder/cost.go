// SPDX-License-Identifier: Apache-2.0

package podorder

import "strconv"

// AnnotationDeletionCost is the pod annotation with the cost of deleting the pod: a 32-bit
// integer. Of pods that are equal by assignment, phase and readiness, the pod with the lowest
// cost is deleted first.
const AnnotationDeletionCost = "controller.kubernetes.io/pod-deletion-cost"

// DeletionCost returns the deletion cost from the annotations. The cost of a missing or
// invalid value is 0; valid is false only for an invalid value. A leading plus and leading
// zeros are invalid, except that "-01" is -1.
//
// It mirrors GetDeletionCostFromPodAnnotations of the core helper package of
// Kubernetes.
func DeletionCost(annotations map[string]string) (cost int32, valid bool) {
	text, ok := annotations[AnnotationDeletionCost]
	if !ok {
		return 0, true
	}
	first := byte(0)
	if text != "" {
		first = text[0]
	}
	if text != "0" && first != '-' && (first < '1' || first > '9') {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, false
	}
	return int32(n), true
}
