// Package view writes plans and simulations as text and as JSON.
package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/revision"
)

// why says in words what the reason of an action means.
func why(r deploy.Reason) string {
	switch r {
	case deploy.ReasonNewTemplate:
		return "no ReplicaSet has this template"
	case deploy.ReasonRevision:
		return "to stay up to date"
	case deploy.ReasonRolloutUp:
		return "the surge has room"
	case deploy.ReasonRolloutDown:
		return "enough others are available"
	case deploy.ReasonUnhealthy:
		return "unavailable pods serve nobody"
	case deploy.ReasonSurplus:
		return "more than the Deployment wants"
	case deploy.ReasonScaling:
		return "the Deployment is scaled"
	case deploy.ReasonSaturated:
		return "the new ReplicaSet serves alone"
	case deploy.ReasonRecreateDown:
		return "all old pods go first"
	case deploy.ReasonRecreateUp:
		return "no old pod is left"
	case deploy.ReasonOrphan:
		return "it has no controller, and the selector matches"
	case deploy.ReasonNoMatch:
		return "the selector no longer matches"
	case deploy.ReasonRollback:
		return "an annotation asks for it"
	case deploy.ReasonHistoryLimit:
		return "beyond the history limit"
	case deploy.ReasonPartitionRestore:
		return "the partition leaves these to the old template"
	case deploy.ReasonTakenForOld:
		return "the new ReplicaSet is taken for an old one (defect P1)"
	case deploy.ReasonExtraStatus:
		return "to report how far the partition is"
	}
	return string(r)
}

// waits says in words what each reason of a hold means, with its numbers.
var waits = map[deploy.Reason]string{
	deploy.ReasonSurgeExhausted:     "%d pods are wanted, %d may be",
	deploy.ReasonTerminating:        "%d pods are wanted or being deleted, %d may be wanted",
	deploy.ReasonTerminatingUnknown: "a ReplicaSet does not report its terminating pods",
	deploy.ReasonMinAvailable:       "%d pods are available, %d must stay",
	deploy.ReasonPartition:          "wants %d pods, the partition allows %d",

	deploy.ReasonNotObserved:        "generation %d of %d has been observed",
	deploy.ReasonStatusBehind:       "%d pods exist, %d are wanted",
	deploy.ReasonStatusAhead:        "reports %d available pods, wants %d",
	deploy.ReasonNotReady:           "%d of %d pods are ready",
	deploy.ReasonNotAvailable:       "%d of %d pods have been ready for minReadySeconds",
	deploy.ReasonOldPodsRemain:      "old pods that are left: %d",
	deploy.ReasonReplicaSetDeleting: "the ReplicaSet is being deleted",

	deploy.ReasonReplicaFailure:   "cannot create or delete pods: has %d of %d",
	deploy.ReasonDeadlineExceeded: "reported %d seconds ago: no progress for %d seconds",
	deploy.ReasonCreateFailed:     "it could not be created",
	deploy.ReasonNameTaken:        "another ReplicaSet has this name",
	deploy.ReasonNothingToScale:   "was scaled for %d replicas, not %d, but has the right size",

	deploy.ReasonPausePoint:        "a pause point lets %d pods go, of %d",
	deploy.ReasonSelectingAll:      "the selector is empty, which is taken for a mistake",
	deploy.ReasonRollbackNotFound:  "there is no revision %d to go back to",
	deploy.ReasonRollbackUnchanged: "revision %d has the present template",

	deploy.ReasonDeleting:       "the Deployment is being deleted",
	deploy.ReasonPaused:         "the Deployment is paused",
	deploy.ReasonPausedNew:      "the Deployment is paused, and has no ReplicaSet yet",
	deploy.ReasonPausedTemplate: "the Deployment is paused: its new template waits",
	deploy.ReasonFrozen:         "the Deployment is paused, and stays as it is",
	deploy.ReasonScalingFirst:   "the rollout waits until sizes are adapted to the new replicas",

	deploy.ReasonHistoryNotEmpty:  "still has or wants pods: %d",
	deploy.ReasonHistoryNotSynced: "generation %d of %d has been observed",
}

// whyNot says in words, and with its numbers, what a hold means.
func whyNot(h deploy.Hold) string {
	format, ok := waits[h.Reason]
	if !ok {
		format = string(h.Reason) + ": %d of %d"
	}
	return formatted(format, []any{h.Have, h.Limit})
}

// formatted puts as many of the numbers into a format as it has verbs for.
func formatted(format string, numbers []any) string {
	return fmt.Sprintf(format, numbers[:strings.Count(format, "%d")]...)
}

// short says in a few words what an action does, with the ReplicaSet called by its
// label.
func short(a deploy.Action, label func(string) string) string {
	switch a := a.(type) {
	case deploy.CreateReplicaSet:
		return fmt.Sprintf("%s: create with %d", label(a.Name), a.Replicas)
	case deploy.ScaleReplicaSet:
		return fmt.Sprintf("%s: %d -> %d", label(a.Name), a.From, a.To)
	case deploy.AnnotateReplicaSet:
		return label(a.Name) + ": annotate"
	case deploy.AnnotateDeployment:
		if number, ok := a.Set[revision.Annotation]; ok && len(a.Set) == 1 {
			return "deployment: revision " + number
		}
		return "deployment: annotate"
	case deploy.DeleteReplicaSet:
		return fmt.Sprintf("rev %d: delete", a.Revision) // it has no column any more
	case deploy.AdoptReplicaSet:
		return label(a.Name) + ": adopt"
	case deploy.ReleaseReplicaSet:
		return label(a.Name) + ": release"
	case deploy.RollBackDeployment:
		return fmt.Sprintf("deployment: back to revision %d", a.Revision)
	case deploy.ClearRollback:
		return "deployment: no rollback"
	case deploy.PauseDeployment:
		return "deployment: pause"
	}
	return fmt.Sprintf("%T", a)
}

// long says what an action does, with all that it changes.
func long(a deploy.Action) string {
	switch a := a.(type) {
	case deploy.CreateReplicaSet:
		return fmt.Sprintf("create replica set %s with %s, revision %d", a.Name, plural(a.Replicas, "pod"), a.Revision)
	case deploy.ScaleReplicaSet:
		text := fmt.Sprintf("scale replica set %s from %d to %d", a.Name, a.From, a.To)
		if a.Unhealthy > 0 {
			text += fmt.Sprintf(", %d of them unhealthy", a.Unhealthy)
		}
		return text
	case deploy.AnnotateReplicaSet:
		text := fmt.Sprintf("update replica set %s: %s", a.Name, pairs(a.Set))
		if a.MinReadySeconds != nil {
			text = strings.TrimSuffix(text, ": ") + fmt.Sprintf(", minReadySeconds=%d", *a.MinReadySeconds)
		}
		return text
	case deploy.AnnotateDeployment:
		return "annotate deployment: " + pairs(a.Set)
	case deploy.DeleteReplicaSet:
		return fmt.Sprintf("delete replica set %s, revision %d", a.Name, a.Revision)
	case deploy.AdoptReplicaSet:
		return "adopt replica set " + a.Name
	case deploy.ReleaseReplicaSet:
		return "release replica set " + a.Name
	case deploy.RollBackDeployment:
		return fmt.Sprintf("roll back to revision %d of replica set %s", a.Revision, a.Name)
	case deploy.ClearRollback:
		return "remove the request for a rollback"
	case deploy.PauseDeployment:
		return fmt.Sprintf("pause the deployment %s pod %s is deleted", a.Mode, a.Pod)
	}
	return a.String()
}

// reason returns why an action is planned.
func reason(a deploy.Action) deploy.Reason {
	switch a := a.(type) {
	case deploy.CreateReplicaSet:
		return a.Reason
	case deploy.ScaleReplicaSet:
		return a.Reason
	case deploy.AnnotateReplicaSet:
		return a.Reason
	case deploy.AnnotateDeployment:
		return a.Reason
	case deploy.DeleteReplicaSet:
		return a.Reason
	case deploy.AdoptReplicaSet:
		return a.Reason
	case deploy.ReleaseReplicaSet:
		return a.Reason
	case deploy.RollBackDeployment:
		return a.Reason
	case deploy.ClearRollback:
		return a.Reason
	case deploy.PauseDeployment:
		return a.Reason
	}
	return ""
}

// pairs writes annotations in the order of their keys, without the prefix that all
// of the controller's own have.
func pairs(m map[string]string) string {
	var texts []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		texts = append(texts, strings.TrimPrefix(key, "deployment.kubernetes.io/")+"="+m[key])
	}
	return strings.Join(texts, ", ")
}

func plural(n int32, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
