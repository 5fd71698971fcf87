// SPDX-License-Identifier: Apache-2.0

package view

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/replicaset/reason"
)

// replicaSetHolds are the reasons of holds of the ReplicaSet planner. For the reasons of its
// actions see [PodPlan.row].
var replicaSetHolds = holdWords{
	reason.Burst: {
		Text:  "%d pods are missing or too many, %d may change at once",
		Means: "One pass does not change so many pods.",
		Ends:  "The controller goes on in its next pass.",
	},
	reason.Expectations: {
		Text:  "%d writes have not been seen yet",
		Means: "The controller waits until it sees its own writes.",
		Ends:  "The API server reports them within seconds.",
	},
	reason.Expired: {
		Text:  "%d writes have not been seen for too long, and are given up",
		Means: "The controller goes on without having seen its own writes.",
		Ends:  "It acts on the state that it sees.",
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
	reason.BadSelector: {
		Text:  "its selector cannot be used",
		Means: "A ReplicaSet with an invalid selector is left alone.",
		Ends:  "Replace it by one with another selector.", Stuck: true,
	},
	reason.Terminating: {
		Text:  "%d pods are being deleted, and %d are missing",
		Means: "Pods are replaced when they have ended.",
		Ends:  "They end within their grace period, or are held by a finalizer or a lost node.",
	},
	reason.Protected: {
		Text:  "%d pods must not be deleted, and %d are to go",
		Means: "The pods that are too many must not be deleted.",
		Ends:  "Remove the protection of the pods.", Stuck: true,
	},
	reason.Deleting: {
		Text:  "it is being deleted, with %d pods of %d",
		Means: "It is being deleted itself, and leaves its pods alone.",
		Ends:  "It goes when its dependents and finalizers are gone.",
	},
	reason.NotReady: {
		Text:  "%d of %d pods are ready",
		Means: "All pods exist, but some are not ready.",
		Ends:  "They become ready; if not, look at their events, logs and readiness probes.",
	},
	reason.NotAvailable: {
		Text:  "%d of %d pods have been ready for minReadySeconds",
		Means: "All pods are ready, but some have not been for long enough.",
		Ends:  "Time passes: minReadySeconds from when each became ready.",
	},
}

// waitsForPods reports whether a hold only waits for pods, which the holds of a Deployment already
// say.
func waitsForPods(r kplan.Reason) bool {
	return r == reason.NotReady || r == reason.NotAvailable
}
