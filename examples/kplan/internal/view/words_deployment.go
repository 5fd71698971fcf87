// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/revision"
)

// deploymentActions are the reasons of actions of the Deployment planner.
var deploymentActions = actionWords{
	reason.NewTemplate:      "the template is new",
	reason.Revision:         "to stay up to date",
	reason.RolloutUp:        "the surge has room",
	reason.RolloutDown:      "enough are available",
	reason.Unhealthy:        "unavailable pods serve nobody",
	reason.Surplus:          "more than the Deployment wants",
	reason.Scaling:          "the Deployment is scaled",
	reason.Saturated:        "the new ReplicaSet serves alone",
	reason.RecreateDown:     "all old pods go first",
	reason.RecreateUp:       "no old pod is left",
	reason.Orphan:           "it has no controller, and the selector matches",
	reason.NoMatch:          "the selector no longer matches",
	reason.Rollback:         "an annotation asks for it",
	reason.HistoryLimit:     "beyond the history limit",
	reason.PartitionRestore: "the partition leaves these to the old template",
	reason.TakenForOld:      "the new ReplicaSet is taken for an old one (OldestFirstUnderPartition)",
	reason.ExtraStatus:      "to report how far the partition is",
}

// sumWraps is the advice on a negative limit. Nobody asks for such a limit: it is an overflowed
// sum, and the usual advice on an exhausted surge does not help.
var sumWraps = Advice{
	Text:  "%d pods are wanted, %d may be: the sum wraps around",
	Means: "Replicas and surge together go beyond 32 bits, and wrap around as in Kubernetes (quirk SumsWrapAround).",
	Ends:  "Fewer replicas or a smaller maxSurge; --repair SumsWrapAround shows the plan without this.", Stuck: true,
}

// adviceOn returns the advice on a hold of the Deployment planner.
func adviceOn(h kplan.Hold) Advice {
	if h.Reason == reason.SurgeExhausted && h.Limit < 0 {
		return sumWraps
	}
	return deploymentHolds.advice(h.Reason)
}

// deploymentHolds are the reasons of holds of the Deployment planner.
var deploymentHolds = holdWords{
	reason.SurgeExhausted: {
		Text:  "%d pods are wanted, %d may be",
		Means: "The new ReplicaSet may not grow, because the surge is used up.",
		Ends:  "Old pods go when new ones are available; a larger maxSurge makes room at once.",
	},
	reason.Terminating: {
		Text:  "%d pods are wanted or being deleted, %d may be wanted",
		Means: "Pods that are being deleted take up the room of new ones.",
		Ends:  "They end within their grace period, or are held by a finalizer or a lost node.",
	},
	reason.TerminatingUnknown: {
		Text:  "a ReplicaSet does not report its terminating pods",
		Means: "The number of terminating pods is unknown, and the policy needs it.",
		Ends:  "A feature gate makes the cluster report it; --terminating complete does without.", Stuck: true,
	},
	reason.MinAvailable: {
		Text:  "%d pods are available, %d must stay",
		Means: "No available pod may go, because too few would be left.",
		Ends:  "Pods become available; a larger maxUnavailable lets old ones go at once.",
	},
	reason.Partition: {
		Text:  "wants %d pods, the partition allows %d",
		Means: "The partition leaves the other pods to the old template.",
		Ends:  "Whoever does the batches moves the partition on.",
	},
	reason.OnDelete: {
		Text:  "%d pods are there, %d are wanted",
		Means: "By a policy old pods stay until they are deleted, and new ones replace them.",
		Ends:  "Delete old pods.",
	},
	reason.MovesInPlace: {
		Text:  "%d pods are there, up to %d move where they are",
		Means: "By a policy old pods move to the new ReplicaSet instead of being replaced.",
		Ends:  "The controller that updates them in place moves them.",
	},
	reason.Kept: {
		Text:  "%d pods are wanted, and %d are kept",
		Means: "By a policy the old ReplicaSet keeps pods that are in use or still needed.",
		Ends:  "Lower the number of pods that the policy keeps.",
	},
	reason.PausePoint: {
		Text:  "a pause point lets %d pods go, of %d",
		Means: "The next pod to delete has a pause point: this pod and all later ones stay.",
		Ends:  "kubectl rollout resume, once the Deployment is paused there.",
	},
	reason.NotObserved: {
		Text:  "generation %d of %d has been observed",
		Means: "The ReplicaSet's controller has not seen its latest size yet.",
		Ends:  "It does within seconds; if not, look at kube-controller-manager.",
	},
	reason.StatusBehind: {
		Text:  "%d pods exist, %d are wanted",
		Means: "The ReplicaSet has another number of pods than it wants.",
		Ends:  "Its controller creates or deletes pods; if not, look at its events.",
	},
	reason.StatusAhead: {
		Text:  "reports %d available pods, wants %d",
		Means: "The ReplicaSet reports pods that it no longer wants.",
		Ends:  "Its controller deletes them and updates the status.",
	},
	reason.NotReady: {
		Text:  "%d of %d pods are ready",
		Means: "All pods of the new template exist, but some are not ready.",
		Ends:  "They become ready; if not, look at their events, logs and readiness probes.",
	},
	reason.NotAvailable: {
		Text:  "%d of %d pods have been ready for minReadySeconds",
		Means: "All new pods are ready, but some have not been for long enough.",
		Ends:  "Time passes: minReadySeconds from when each became ready.",
	},
	reason.OldPodsRemain: {
		Text:  "old pods that are left: %d",
		Means: "Pods of an old template have not ended yet.",
		Ends:  "They end within their grace period, or are held by a finalizer or a lost node.",
	},
	reason.ReplicaSetDeleting: {
		Text:  "the ReplicaSet is being deleted",
		Means: "A user has deleted the ReplicaSet of the present template.",
		Ends:  "It goes when its pods and finalizers are gone, and is then created again.",
	},
	reason.ReplicaFailure: {
		Text:  "cannot create or delete pods: has %d of %d",
		Means: "The API server rejects the pods that the ReplicaSet creates or deletes.",
		Ends:  "Remove the cause, such as a quota, a webhook or a missing service account.", Stuck: true,
	},
	reason.DeadlineExceeded: {
		Text:  "reported %d seconds ago: no progress for %d seconds",
		Means: "The rollout has not come nearer to its end for progressDeadlineSeconds.",
		Ends:  "It goes on by itself if pods become available; else fix the template or undo.", Stuck: true,
	},
	reason.NameTaken: {
		Text:  "another ReplicaSet has this name",
		Means: "A ReplicaSet with other contents has the name of the one to be created.",
		Ends:  "The controller counts a collision and takes another name in its next pass.",
	},
	reason.CreateFailed: {
		Text:  "it could not be created",
		Means: "The API server rejects the ReplicaSet that the controller creates.",
		Ends:  "Remove the cause, such as a quota. Kubernetes gives up after 164 s, until an event comes.", Stuck: true,
	},
	reason.NothingToScale: {
		Text:  "was scaled for %d replicas, not %d, but has the right size",
		Means: "Annotations say that a scaling is not done, but there is nothing left to scale.",
		Ends:  "Change replicas once more, or edit the annotation desired-replicas; see --corrected.", Stuck: true,
	},
	reason.SelectingAll: {
		Text:  "the selector is empty, which is taken for a mistake",
		Means: "A Deployment that selects everything is left alone.",
		Ends:  "Replace it by one with a selector: selectors cannot be changed.", Stuck: true,
	},
	reason.RollbackNotFound: {
		Text:  "there is no revision %d to go back to",
		Means: "The annotation for a rollback asks for a revision that is not there.",
		Ends:  "The request is removed; see kplan history for the revisions that there are.",
	},
	reason.RollbackUnchanged: {
		Text:  "revision %d has the present template",
		Means: "The annotation for a rollback asks for the present template.",
		Ends:  "The request is removed, and nothing else changes.",
	},
	reason.Deleting: {
		Text:  "the Deployment is being deleted",
		Means: "Nothing is rolled out any more.",
		Ends:  "The Deployment goes when its dependents and finalizers are gone.",
	},
	reason.Paused: {
		Text:  "the Deployment is paused",
		Means: "A new template would not be rolled out.",
		Ends:  "kubectl rollout resume.",
	},
	reason.PausedNew: {
		Text:  "the Deployment is paused, and has no ReplicaSet yet",
		Means: "Nothing is created while it is paused.",
		Ends:  "kubectl rollout resume.",
	},
	reason.PausedTemplate: {
		Text:  "the Deployment is paused: its new template waits",
		Means: "The pods of the former template stay as they are.",
		Ends:  "kubectl rollout resume, or undo the change of the template.",
	},
	reason.Frozen: {
		Text:  "the Deployment is paused, and stays as it is",
		Means: "The policy --paused freeze leaves even sizes alone.",
		Ends:  "kubectl rollout resume.",
	},
	reason.ScalingFirst: {
		Text:  "the rollout waits until sizes are adapted to the new replicas",
		Means: "Replicas have changed, and scaling comes before the template.",
		Ends:  "The rollout goes on as soon as all ReplicaSets are scaled.",
	},
	reason.HistoryNotEmpty: {
		Text:  "still has or wants pods: %d",
		Means: "An old ReplicaSet beyond the history limit is not deleted while it has pods.",
		Ends:  "Its pods end; nothing else waits for that.",
	},
	reason.HistoryNotSynced: {
		Text:  "generation %d of %d has been observed",
		Means: "An old ReplicaSet beyond the history limit has not seen its latest size yet.",
		Ends:  "Its controller does within seconds; nothing else waits for that.",
	},
}

// whyNot returns the comparison of a hold of a Deployment, with its numbers.
func whyNot(h kplan.Hold) string {
	return adviceOn(h).of(h.Have, h.Limit)
}

// A phrase is an action of the Deployment planner in words.
type phrase struct {
	set   string // the affected ReplicaSet, or ""
	short string // the effect on the ReplicaSet or Deployment
	long  string // the same with all details
}

func phraseOf(a deploy.Action) phrase {
	switch a := a.(type) {
	case deploy.CreateReplicaSet:
		return phrase{
			a.Name, fmt.Sprintf("create with %d", a.Replicas),
			fmt.Sprintf("create replica set %s with %s, revision %d", a.Name, plural(a.Replicas, "pod"), a.Revision),
		}
	case deploy.ScaleReplicaSet:
		text := fmt.Sprintf("scale replica set %s from %d to %d", a.Name, a.From, a.To)
		if a.Unhealthy > 0 {
			text += fmt.Sprintf(", %d of them unhealthy", a.Unhealthy)
		}
		return phrase{a.Name, fmt.Sprintf("%d -> %d", a.From, a.To), text}
	case deploy.AnnotateReplicaSet:
		text := fmt.Sprintf("update replica set %s: %s", a.Name, pairs(a.Set))
		if a.MinReadySeconds != nil {
			text = strings.TrimSuffix(text, ": ") + fmt.Sprintf(", minReadySeconds=%d", *a.MinReadySeconds)
		}
		return phrase{a.Name, "annotate", text}
	case deploy.AdoptReplicaSet:
		return phrase{a.Name, "adopt", "adopt replica set " + a.Name}
	case deploy.ReleaseReplicaSet:
		return phrase{a.Name, "release", "release replica set " + a.Name}
	case deploy.DeleteReplicaSet:
		return phrase{a.Name, "delete", fmt.Sprintf("delete replica set %s, revision %d", a.Name, a.Revision)}
	case deploy.AnnotateDeployment:
		short := "annotate"
		if number, ok := a.Set[revision.AnnotationRevision]; ok && len(a.Set) == 1 {
			short = "rev " + number
		}
		return phrase{"", short, "annotate deployment: " + pairs(a.Set)}
	case deploy.RollBackDeployment:
		return phrase{"", fmt.Sprintf("back to rev %d", a.Revision), fmt.Sprintf("roll back to revision %d of replica set %s", a.Revision, a.Name)}
	case deploy.ClearRollback:
		return phrase{"", "no rollback", "remove the request for a rollback"}
	case deploy.PauseDeployment:
		return phrase{"", "pause", fmt.Sprintf("pause the deployment %s pod %s is deleted", a.Mode, a.Pod)}
	}
	return phrase{"", fmt.Sprintf("%T", a), a.String()}
}

// short returns a few words for an action, with the label of the ReplicaSet.
func short(a deploy.Action, label func(string) string) string {
	d := phraseOf(a)
	if a, ok := a.(deploy.DeleteReplicaSet); ok {
		return fmt.Sprintf("rev %d: delete", a.Revision) // it no longer has a column
	}
	if d.set == "" {
		return "deployment: " + d.short
	}
	return label(d.set) + ": " + d.short
}

// pairs returns annotations in the order of their keys, without the common prefix of the
// controller. Long values are cut.
func pairs(m map[string]string) string {
	var texts []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		texts = append(texts, strings.TrimPrefix(key, "deployment.kubernetes.io/")+"="+cut(m[key], 40))
	}
	return strings.Join(texts, ", ")
}
