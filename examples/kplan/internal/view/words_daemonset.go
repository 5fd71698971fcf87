// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"

	"github.com/kplan-go/kplan/daemonset"
)

// daemonSetActions are the reasons of actions of the DaemonSet planner.
var daemonSetActions = actionWords[daemonset.Reason]{
	daemonset.ReasonOrphan:           "it has no controller, and the selector matches",
	daemonset.ReasonNoMatch:          "the selector no longer matches",
	daemonset.ReasonNewTemplate:      "no revision has this template",
	daemonset.ReasonUnlabelled:       "it has no hash yet",
	daemonset.ReasonRollback:         "an old template is wanted again",
	daemonset.ReasonDuplicate:        "there are more than one of it",
	daemonset.ReasonHistoryLimit:     "beyond the history limit",
	daemonset.ReasonMissing:          "the node has none",
	daemonset.ReasonMisplaced:        "no pod should run there",
	daemonset.ReasonFailed:           "the pod has failed",
	daemonset.ReasonSucceeded:        "the pod has ended",
	daemonset.ReasonPrepared:         "it was to be deleted already",
	daemonset.ReasonReplaced:         "a new pod has taken over",
	daemonset.ReasonNodeGone:         "its node does not exist",
	daemonset.ReasonOldUnavailable:   "an old pod that serves nobody makes way",
	daemonset.ReasonRollout:          "the budget has room",
	daemonset.ReasonNotDesired:       "an old pod where none should run any more",
	daemonset.ReasonPreDelete:        "it goes as soon as the hook lets go of it",
	daemonset.ReasonInPlaceCompleted: "its update in place is over",
	daemonset.ReasonNextBatch:        "its next containers are due",
	daemonset.ReasonGraceOver:        "its grace period is over",
}

// daemonSetHolds are the reasons of holds of the DaemonSet planner.
var daemonSetHolds = holdWords[daemonset.Reason]{
	daemonset.ReasonSelectingAll: {
		Text:  "the selector is empty, which is taken for a mistake",
		Means: "A DaemonSet that selects everything is left alone.",
		Ends:  "Replace it by one with a selector: selectors cannot be changed.", Stuck: true,
	},
	daemonset.ReasonDeleting: {
		Text:  "the DaemonSet is being deleted",
		Means: "Nothing is rolled out any more.",
		Ends:  "The DaemonSet goes when its dependents and finalizers are gone.",
	},
	daemonset.ReasonUnseen: {
		Text:  "earlier writes have not been seen yet",
		Means: "The controller waits until it sees the pods that it has created or deleted.",
		Ends:  "It does within seconds; if not, look at kube-controller-manager.",
	},
	daemonset.ReasonStalePods: {
		Text:  "its pods have been seen up to version %d, and %d was written",
		Means: "The controller waits until it sees the pods that it has written.",
		Ends:  "It does within seconds; if not, look at kube-controller-manager.",
	},
	daemonset.ReasonStaleOwner: {
		Text:  "it has been seen at version %d, and %d was written",
		Means: "The controller waits until it sees the status that it has written.",
		Ends:  "It does within seconds; if not, look at kube-controller-manager.",
	},
	daemonset.ReasonFrozen: {
		Text:  "the policy leaves everything as it is",
		Means: "The policy creates, deletes and updates no pods.",
		Ends:  "Another policy.",
	},
	daemonset.ReasonCollision: {
		Text:  "another revision has the name of the new one, for the %dth time",
		Means: "A revision with other contents has the name of the one to be created.",
		Ends:  "The controller counts a collision and takes another name in its next pass.",
	},
	daemonset.ReasonManageFirst: {
		Text:  "nodes with an old pod: %d",
		Means: "Old pods stay in this pass, because pods are placed and removed first.",
		Ends:  "The next pass, once nothing is to be placed or removed.",
	},
	daemonset.ReasonPaused: {
		Text:  "the update is paused; nodes with an old pod: %d",
		Means: "The update is paused, and old pods stay as they are.",
		Ends:  "Set spec.updateStrategy.rollingUpdate.paused to false.",
	},
	daemonset.ReasonOnDelete: {
		Text:  "nodes with an old pod: %d",
		Means: "With the strategy OnDelete old pods stay until they are deleted.",
		Ends:  "Delete them, or change the strategy to RollingUpdate.",
	},
	daemonset.ReasonBurst: {
		Text:  "pods to be written: %d; at once there may be %d",
		Means: "More pods are to be created or deleted than one pass may.",
		Ends:  "The next pass takes the next ones.",
	},
	daemonset.ReasonMaxUnavailable: {
		Text:  "unavailable nodes, with this plan: %d; there may be %d",
		Means: "No further available old pod may go, because the budget of unavailable nodes is used up.",
		Ends:  "Pods become available; a larger maxUnavailable lets old ones go at once.",
	},
	daemonset.ReasonMaxSurge: {
		Text:  "nodes with a second pod, with this plan: %d; there may be %d",
		Means: "No further node may have a second pod, because the surge is used up.",
		Ends:  "New pods become available and replace old ones; a larger maxSurge makes room.",
	},
	daemonset.ReasonPartition: {
		Text:  "nodes that are not updated: %d; the partition is %d",
		Means: "The partition leaves these nodes to the old template.",
		Ends:  "Whoever does the batches lowers the partition.",
	},
	daemonset.ReasonNotSelected: {
		Text:  "nodes that are not updated: %d",
		Means: "The selector of the update leaves these nodes out.",
		Ends:  "Change the selector of the update, or the labels of the nodes.",
	},
	daemonset.ReasonProgressive: {
		Text:  "nodes that get no pod: %d; the partition is %d",
		Means: "Pods are created only where the partition has released nodes.",
		Ends:  "Whoever does the batches lowers the partition.",
	},
	daemonset.ReasonMinAvailable: {
		Text:  "available nodes, with this plan: %d; desired: %d",
		Means: "Old pods where none should run stay until enough others are available.",
		Ends:  "Pods on other nodes become available.",
	},
	daemonset.ReasonStrict: {
		Text:  "unavailable old pods: %d; of them may go %d",
		Means: "The policy counts unavailable old pods against the budget as well.",
		Ends:  "Pods become available; a larger maxUnavailable lets more go.",
	},
	daemonset.ReasonTooManyPods: {
		Text:  "several new or several old pods",
		Means: "The node has more than one pod of a kind, and counts as unavailable.",
		Ends:  "All but one of them go.",
	},
	daemonset.ReasonEmpty: {
		Text:  "no pod",
		Means: "The node has no pod, and counts as unavailable.",
		Ends:  "The controller creates one.",
	},
	daemonset.ReasonTerminating: {
		Text:  "its pods are being deleted",
		Means: "All pods of the node are being deleted, and it counts as unavailable.",
		Ends:  "They end within their grace period, or are held by a finalizer or a lost node.",
	},
	daemonset.ReasonNewAndOld: {
		Text:  "a new and an old pod",
		Means: "The node has a new and an old pod, and counts against the budget.",
		Ends:  "The new one becomes available, or the old one goes.",
	},
	daemonset.ReasonNotReady: {
		Text:  "its pod is not ready",
		Means: "The pod of the node is not ready, and the node counts as unavailable.",
		Ends:  "It becomes ready; if not, look at its events, logs and readiness probe.",
	},
	daemonset.ReasonNotAvailable: {
		Text:  "its pod has not been ready for minReadySeconds",
		Means: "The pod of the node is ready, but not for long enough.",
		Ends:  "Time passes: minReadySeconds from when it became ready.",
	},
	daemonset.ReasonPreparing: {
		Text:  "its pod is about to be deleted",
		Means: "The pod of the node is about to be deleted, and the node counts as unavailable.",
		Ends:  "The hook lets go of it.",
	},
	daemonset.ReasonMissingNode: {
		Text:  "there is no such node",
		Means: "A pod belongs to a node that does not exist.",
		Ends:  "The garbage collector of pods removes it; see also --corrected.",
	},
	daemonset.ReasonDeadNode: {
		Text:  "the node does not answer",
		Means: "The update leaves out the node, because it does not answer.",
		Ends:  "The node answers again, or is removed.",
	},
	daemonset.ReasonBackoff: {
		Text:  "a failed pod stays for some time",
		Means: "A pod failed here before; the next failed one goes after a growing delay.",
		Ends:  "Time passes; look at why the pods fail.",
	},
	daemonset.ReasonInPlace: {
		Text:  "its update in place is not over",
		Means: "The node agent has not restarted all containers yet.",
		Ends:  "The containers run their new images; if not, look at the events of the pod.",
	},
	daemonset.ReasonPreDelete: {
		Text:  "the hook holds its pod",
		Means: "The pod is to be deleted, but the preDelete hook holds it.",
		Ends:  "The owner of the hook removes its finalizer or label.",
	},
}

// placements are the reasons why a node should, or should not, run a pod.
var placements = map[daemonset.Reason]string{
	daemonset.ReasonFits:            "yes",
	daemonset.ReasonNodeName:        "no: the template names another node",
	daemonset.ReasonNodeSelector:    "no: nodeSelector",
	daemonset.ReasonAffinity:        "no: node affinity",
	daemonset.ReasonTaintNoSchedule: "no: taint",
	daemonset.ReasonTaintNoExecute:  "no: taint",
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
