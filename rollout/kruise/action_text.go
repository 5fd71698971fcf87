// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kplan-go/kplan/rollout/batchrelease"
)

// String returns one line with the reason.
func (a SetFinalizer) String() string {
	verb := "Added"
	if a.Remove {
		verb = "Removed"
	}
	return fmt.Sprintf("%s finalizer %s of %s %s (%s)", verb, a.Finalizer, a.Kind, a.Name, a.Reason)
}

// String returns one line with the reason.
func (a PatchRollout) String() string {
	return fmt.Sprintf("Annotated rollout %s: %s (%s)", a.Name, keys(a.Annotations), a.Reason)
}

// String returns one line with the patch and the reason.
func (a PatchWorkload) String() string {
	return fmt.Sprintf("Patched %s %s: %s (%s)", strings.ToLower(a.Workload.Kind), a.Workload.Name, a.Patch.Body(a.Workload), a.Reason)
}

// String returns one line with the reason.
func (a CreateBatchRelease) String() string {
	return fmt.Sprintf("Created batch release %s up to batch %s (%s)", a.Name, upTo(a.ReleasePlan), a.Reason)
}

// String returns one line with the reason.
func (a UpdateBatchRelease) String() string {
	return fmt.Sprintf("Updated batch release %s up to batch %s (%s)", a.Name, upTo(a.ReleasePlan), a.Reason)
}

func upTo(p batchrelease.ReleasePlan) string {
	if p.BatchPartition == nil {
		return "last"
	}
	return fmt.Sprint(int64(*p.BatchPartition) + 1)
}

// String returns one line with the reason.
func (a PatchBatchRelease) String() string {
	return fmt.Sprintf("Patched batch release %s (%s)", a.Name, a.Reason)
}

// String returns one line with the reason.
func (a DeleteBatchRelease) String() string {
	return fmt.Sprintf("Deleted batch release %s (%s)", a.Name, a.Reason)
}

// String returns one line with the reason.
func (a SelectPods) String() string {
	if a.Value == "" {
		return fmt.Sprintf("Removed %s from the selector of service %s (%s)", a.Key, a.Service, a.Reason)
	}
	return fmt.Sprintf("Set %s to %s in the selector of service %s (%s)", a.Key, a.Value, a.Service, a.Reason)
}

// String returns one line with the reason.
func (a CreateService) String() string {
	return fmt.Sprintf("Created service %s from %s (%s)", a.Name, a.Stable, a.Reason)
}

// String returns one line with the reason.
func (a DeleteService) String() string {
	return fmt.Sprintf("Deleted service %s (%s)", a.Name, a.Reason)
}

// String returns one line with the reason.
func (a SetRoute) String() string {
	return fmt.Sprintf("Set %d rules of route %s (%s)", len(a.Rules), a.Name, a.Reason)
}

// String returns one line with the reason.
func (a SetIngress) String() string {
	return fmt.Sprintf("Set ingress %s: %s (%s)", a.Name, keys(a.Annotations), a.Reason)
}

// String returns one line with the reason.
func (a DeleteIngress) String() string {
	return fmt.Sprintf("Deleted ingress %s (%s)", a.Name, a.Reason)
}

// keys returns the keys of a map in order, separated by commas.
func keys(m map[string]string) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}
