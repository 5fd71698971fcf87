// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/reason"
)

// daemonSetActions are the reasons of actions of the DaemonSet planner.
var daemonSetActions = actionWords{
	reason.Orphan:           "it has no controller, and the selector matches",
	reason.NoMatch:          "the selector no longer matches",
	reason.NewTemplate:      "no revision has this template",
	reason.Unlabelled:       "it has no hash yet",
	reason.Rollback:         "an old template is wanted again",
	reason.Duplicate:        "there are more than one of it",
	reason.HistoryLimit:     "beyond the history limit",
	reason.Missing:          "the node has none",
	reason.Misplaced:        "no pod should run there",
	reason.Failed:           "the pod has failed",
	reason.Succeeded:        "the pod has ended",
	reason.Prepared:         "it was to be deleted already",
	reason.Replaced:         "a new pod has taken over",
	reason.NodeGone:         "its node does not exist",
	reason.OldUnavailable:   "an old pod that serves nobody makes way",
	reason.Rollout:          "the budget has room",
	reason.NotDesired:       "an old pod where none should run any more",
	reason.PreDelete:        "it goes as soon as the hook lets go of it",
	reason.InPlaceCompleted: "its update in place is over",
	reason.NextBatch:        "its next containers are due",
	reason.GraceOver:        "its grace period is over",
}

// daemonSetHolds are the reasons of holds of the DaemonSet planner.
var daemonSetHolds = holdWords{
	reason.SelectingAll: {
		Text:  "the selector is empty, which is taken for a mistake",
		Means: "A DaemonSet that selects everything is left alone.",
		Ends:  "Replace it by one with a selector: selectors cannot be changed.", Stuck: true,
	},
	reason.Deleting: {
		Text:  "the DaemonSet is being deleted",
		Means: "Nothing is rolled out any more.",
		Ends:  "The DaemonSet goes when its dependents and finalizers are gone.",
	},
	reason.Unseen: {
		Text:  "earlier writes have not been seen yet",
		Means: "The controller waits until it sees the pods that it has created or deleted.",
		Ends:  "It does within seconds; if not, look at kube-controller-manager.",
	},
	reason.StalePods: {
		Text:  "its pods have been seen up to version %d, and %d was written",
		Means: "The controller waits until it sees the pods that it has written.",
		Ends:  "It does within seconds; if not, look at kube-controller-manager.",
	},
	reason.StaleOwner: {
		Text:  "it has been seen at version %d, and %d was written",
		Means: "The controller waits until it sees the status that it has written.",
		Ends:  "It does within seconds; if not, look at kube-controller-manager.",
	},
	reason.Frozen: {
		Text:  "the policy leaves everything as it is",
		Means: "The policy creates, deletes and updates no pods.",
		Ends:  "Another policy.",
	},
	reason.Collision: {
		Text:  "another revision has the name of the new one, for the %dth time",
		Means: "A revision with other contents has the name of the one to be created.",
		Ends:  "The controller counts a collision and takes another name in its next pass.",
	},
	reason.ManageFirst: {
		Text:  "nodes with an old pod: %d",
		Means: "Old pods stay in this pass, because pods are placed and removed first.",
		Ends:  "The next pass, once nothing is to be placed or removed.",
	},
	reason.Paused: {
		Text:  "the update is paused; nodes with an old pod: %d",
		Means: "The update is paused, and old pods stay as they are.",
		Ends:  "Set spec.updateStrategy.rollingUpdate.paused to false.",
	},
	reason.OnDelete: {
		Text:  "nodes with an old pod: %d",
		Means: "With the strategy OnDelete old pods stay until they are deleted.",
		Ends:  "Delete them, or change the strategy to RollingUpdate.",
	},
	reason.Burst: {
		Text:  "pods to be written: %d; at once there may be %d",
		Means: "More pods are to be created or deleted than one pass may.",
		Ends:  "The next pass takes the next ones.",
	},
	reason.MaxUnavailable: {
		Text:  "unavailable nodes, with this plan: %d; there may be %d",
		Means: "No further available old pod may go, because the budget of unavailable nodes is used up.",
		Ends:  "Pods become available; a larger maxUnavailable lets old ones go at once.",
	},
	reason.MaxSurge: {
		Text:  "nodes with a second pod, with this plan: %d; there may be %d",
		Means: "No further node may have a second pod, because the surge is used up.",
		Ends:  "New pods become available and replace old ones; a larger maxSurge makes room.",
	},
	reason.Partition: {
		Text:  "nodes that are not updated: %d; the partition is %d",
		Means: "The partition leaves these nodes to the old template.",
		Ends:  "Whoever does the batches lowers the partition.",
	},
	reason.NotSelected: {
		Text:  "nodes that are not updated: %d",
		Means: "The selector of the update leaves these nodes out.",
		Ends:  "Change the selector of the update, or the labels of the nodes.",
	},
	reason.Progressive: {
		Text:  "nodes that get no pod: %d; the partition is %d",
		Means: "Pods are created only where the partition has released nodes.",
		Ends:  "Whoever does the batches lowers the partition.",
	},
	reason.MinAvailable: {
		Text:  "available nodes, with this plan: %d; desired: %d",
		Means: "Old pods where none should run stay until enough others are available.",
		Ends:  "Pods on other nodes become available.",
	},
	reason.Strict: {
		Text:  "unavailable old pods: %d; of them may go %d",
		Means: "The policy counts unavailable old pods against the budget as well.",
		Ends:  "Pods become available; a larger maxUnavailable lets more go.",
	},
	reason.TooManyPods: {
		Text:  "several new or several old pods",
		Means: "The node has more than one pod of a kind, and counts as unavailable.",
		Ends:  "All but one of them go.",
	},
	reason.Empty: {
		Text:  "no pod",
		Means: "The node has no pod, and counts as unavailable.",
		Ends:  "The controller creates one.",
	},
	reason.Terminating: {
		Text:  "its pods are being deleted",
		Means: "All pods of the node are being deleted, and it counts as unavailable.",
		Ends:  "They end within their grace period, or are held by a finalizer or a lost node.",
	},
	reason.NewAndOld: {
		Text:  "a new and an old pod",
		Means: "The node has a new and an old pod, and counts against the budget.",
		Ends:  "The new one becomes available, or the old one goes.",
	},
	reason.NotReady: {
		Text:  "its pod is not ready",
		Means: "The pod of the node is not ready, and the node counts as unavailable.",
		Ends:  "It becomes ready; if not, look at its events, logs and readiness probe.",
	},
	reason.NotAvailable: {
		Text:  "its pod has not been ready for minReadySeconds",
		Means: "The pod of the node is ready, but not for long enough.",
		Ends:  "Time passes: minReadySeconds from when it became ready.",
	},
	reason.Preparing: {
		Text:  "its pod is about to be deleted",
		Means: "The pod of the node is about to be deleted, and the node counts as unavailable.",
		Ends:  "The hook lets go of it.",
	},
	reason.MissingNode: {
		Text:  "there is no such node",
		Means: "A pod belongs to a node that does not exist.",
		Ends:  "The garbage collector of pods removes it; see also --corrected.",
	},
	reason.DeadNode: {
		Text:  "the node does not answer",
		Means: "The update leaves out the node, because it does not answer.",
		Ends:  "The node answers again, or is removed.",
	},
	reason.Backoff: {
		Text:  "a failed pod stays for some time",
		Means: "A pod failed here before; the next failed one goes after a growing delay.",
		Ends:  "Time passes; look at why the pods fail.",
	},
	reason.InPlace: {
		Text:  "its update in place is not over",
		Means: "The node agent has not restarted all containers yet.",
		Ends:  "The containers run their new images; if not, look at the events of the pod.",
	},
	reason.PreDelete: {
		Text:  "the hook holds its pod",
		Means: "The pod is to be deleted, but the preDelete hook holds it.",
		Ends:  "The owner of the hook removes its finalizer or label.",
	},
}

// placements are the reasons why a node should, or should not, run a pod.
var placements = map[kplan.Reason]string{
	reason.Fits:            "yes",
	reason.NodeName:        "no: the template names another node",
	reason.NodeSelector:    "no: nodeSelector",
	reason.Affinity:        "no: node affinity",
	reason.TaintNoSchedule: "no: taint",
	reason.TaintNoExecute:  "no: taint",
}

// Barrier returns the reason why a node should not run a pod, or "".
func Barrier(p daemonset.Placement) string {
	if p.ShouldRun {
		return ""
	}
	return strings.TrimPrefix(placementText(&daemonset.NodeReport{Placement: p}), "no: ")
}

// placementText returns the words for whether a node should run a pod, and why not.
func placementText(r *daemonset.NodeReport) string {
	p := &r.Placement
	text := placements[p.Reason]
	switch {
	case r.Missing:
		return "no such node"
	case text == "":
		text = "no: " + string(p.Reason)
	case p.Key != "":
		text += " " + p.Key
	case p.Taint.Key != "":
		text += " " + p.Taint.Key
		if p.Taint.Value != "" {
			text += "=" + p.Taint.Value
		}
		text += ":" + string(p.Taint.Effect)
	}
	if !p.ShouldRun && p.ShouldContinueRunning {
		text += " (pods may stay)"
	}
	return text
}

// A daemonPhrase is an action of the DaemonSet planner in words: the verb for one object or, as
// more, for several, and the object.
type daemonPhrase struct{ one, more, object string }

func daemonPhraseOf(a daemonset.Action) daemonPhrase {
	switch a := a.(type) {
	case daemonset.CreatePod:
		return daemonPhrase{"create a pod on node", "create pods on nodes", a.Node}
	case daemonset.DeletePod:
		return daemonPhrase{"delete the pod of node", "delete the pods of nodes", a.Node}
	case daemonset.PreparePod:
		return daemonPhrase{"mark the pod of node", "mark the pods of nodes", a.Node}
	case daemonset.UpdatePod:
		what := " in place to " + a.Patch.String() + ": node"
		return daemonPhrase{"update the pod" + what, "update pods" + what + "s", a.Node}
	case daemonset.RefreshPod:
		what := "open the gate of the pod"
		switch {
		case a.Patch != nil:
			what = "update further containers (" + a.Patch.String() + ") of the pod"
		case a.DropGrace:
			what = "end the grace period of the pod"
		}
		return daemonPhrase{what + " of node", what + "s of nodes", a.Node}
	case daemonset.AdoptPod:
		return daemonPhrase{"adopt pod", "adopt pods", a.Name}
	case daemonset.ReleasePod:
		return daemonPhrase{"release pod", "release pods", a.Name}
	case daemonset.RelabelPod:
		return daemonPhrase{"relabel pod", "relabel pods", a.Name}
	case daemonset.CreateRevision:
		return daemonPhrase{"create revision", "create revisions", fmt.Sprintf("%d, %s", a.Revision, a.Name)}
	case daemonset.UpdateRevision:
		if a.From == a.To {
			return daemonPhrase{"label revision", "label revisions", a.Name}
		}
		return daemonPhrase{fmt.Sprintf("make revision %d number %d:", a.From, a.To), "renumber revisions", a.Name}
	case daemonset.DeleteRevision:
		return daemonPhrase{"delete revision", "delete revisions", a.Name}
	case daemonset.AdoptRevision:
		return daemonPhrase{"adopt revision", "adopt revisions", a.Name}
	case daemonset.ReleaseRevision:
		return daemonPhrase{"release revision", "release revisions", a.Name}
	}
	return daemonPhrase{"do", "do", a.String()}
}
