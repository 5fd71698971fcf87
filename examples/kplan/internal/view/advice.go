package view

import "github.com/kplan-go/kplan/deploy"

// An Advice says what a hold means for people.
type Advice struct {
	Means string
	Ends  string // what ends it
	Stuck bool   // it does not end by itself
}

// advices has one for every reason of a hold.
var advices = map[deploy.Reason]Advice{
	deploy.ReasonSurgeExhausted: {
		Means: "The new ReplicaSet may not grow, because the surge is used up.",
		Ends:  "Old pods go when new ones are available; a larger maxSurge makes room at once.",
	},
	deploy.ReasonTerminating: {
		Means: "Pods that are being deleted take up the room of new ones.",
		Ends:  "They end within their grace period, or are held by a finalizer or a lost node.",
	},
	deploy.ReasonTerminatingUnknown: {
		Means: "How many pods are being deleted is not known, and the policy wants to know.",
		Ends:  "A feature gate makes the cluster report it; --terminating complete does without.", Stuck: true,
	},
	deploy.ReasonMinAvailable: {
		Means: "No available pod may go, because too few would be left.",
		Ends:  "Pods become available; a larger maxUnavailable lets old ones go at once.",
	},
	deploy.ReasonPartition: {
		Means: "The partition leaves the other pods to the old template.",
		Ends:  "Whoever does the batches moves the partition on.",
	},
	deploy.ReasonPausePoint: {
		Means: "The next pod to go has a pause point: it stays, and so do those behind it.",
		Ends:  "kubectl rollout resume, once the Deployment is paused there.",
	},
	deploy.ReasonNotObserved: {
		Means: "The ReplicaSet's controller has not seen its latest size yet.",
		Ends:  "It does within seconds; if not, look at kube-controller-manager.",
	},
	deploy.ReasonStatusBehind: {
		Means: "The ReplicaSet has another number of pods than it wants.",
		Ends:  "Its controller creates or deletes pods; if not, look at its events.",
	},
	deploy.ReasonStatusAhead: {
		Means: "The ReplicaSet reports pods that it no longer wants.",
		Ends:  "Its controller deletes them and reports anew.",
	},
	deploy.ReasonNotReady: {
		Means: "All pods of the new template exist, but some are not ready.",
		Ends:  "They become ready; if not, look at their events, logs and readiness probes.",
	},
	deploy.ReasonNotAvailable: {
		Means: "All new pods are ready, but some have not been for long enough.",
		Ends:  "Time passes: minReadySeconds from when each became ready.",
	},
	deploy.ReasonOldPodsRemain: {
		Means: "Pods of an old template have not ended yet.",
		Ends:  "They end within their grace period, or are held by a finalizer or a lost node.",
	},
	deploy.ReasonReplicaSetDeleting: {
		Means: "Someone has deleted the ReplicaSet of the present template.",
		Ends:  "It goes when its pods and finalizers are gone, and is then created anew.",
	},
	deploy.ReasonReplicaFailure: {
		Means: "The API server rejects the pods that the ReplicaSet creates or deletes.",
		Ends:  "Remove the cause, such as a quota, a webhook or a missing service account.", Stuck: true,
	},
	deploy.ReasonDeadlineExceeded: {
		Means: "The rollout has not come nearer to its end for progressDeadlineSeconds.",
		Ends:  "It goes on by itself if pods become available; else fix the template or undo.", Stuck: true,
	},
	deploy.ReasonNameTaken: {
		Means: "A ReplicaSet with other contents has the name of the one to be created.",
		Ends:  "The controller counts a collision and takes another name in its next pass.",
	},
	deploy.ReasonCreateFailed: {
		Means: "The API server rejects the ReplicaSet that the controller creates.",
		Ends:  "Remove the cause, such as a quota or a webhook; the controller tries again.", Stuck: true,
	},
	deploy.ReasonNothingToScale: {
		Means: "Annotations say that a scaling is not done, but there is nothing left to scale.",
		Ends:  "Change replicas once more, or edit the annotation desired-replicas; see --corrected.", Stuck: true,
	},
	deploy.ReasonSelectingAll: {
		Means: "A Deployment that selects everything is left alone.",
		Ends:  "Create it anew with a selector, which cannot be changed.", Stuck: true,
	},
	deploy.ReasonRollbackNotFound: {
		Means: "The annotation for a rollback asks for a revision that is not there.",
		Ends:  "The request is removed; see kplan history for the revisions that there are.",
	},
	deploy.ReasonRollbackUnchanged: {
		Means: "The annotation for a rollback asks for what is there already.",
		Ends:  "The request is removed, and nothing else changes.",
	},
	deploy.ReasonDeleting: {
		Means: "Nothing is rolled out any more.",
		Ends:  "The Deployment goes when its dependents and finalizers are gone.",
	},
	deploy.ReasonPaused: {
		Means: "A new template would not be rolled out.",
		Ends:  "kubectl rollout resume.",
	},
	deploy.ReasonPausedNew: {
		Means: "Nothing is created while it is paused.",
		Ends:  "kubectl rollout resume.",
	},
	deploy.ReasonPausedTemplate: {
		Means: "The pods of the former template stay as they are.",
		Ends:  "kubectl rollout resume, or undo the change of the template.",
	},
	deploy.ReasonFrozen: {
		Means: "The policy --paused freeze leaves even sizes alone.",
		Ends:  "kubectl rollout resume.",
	},
	deploy.ReasonScalingFirst: {
		Means: "Replicas have changed, and scaling comes before the template.",
		Ends:  "The rollout goes on as soon as all ReplicaSets are scaled.",
	},
	deploy.ReasonHistoryNotEmpty: {
		Means: "An old ReplicaSet beyond the history limit is not deleted while it has pods.",
		Ends:  "Its pods end; nothing else waits for that.",
	},
	deploy.ReasonHistoryNotSynced: {
		Means: "An old ReplicaSet beyond the history limit has not seen its latest size yet.",
		Ends:  "Its controller does within seconds; nothing else waits for that.",
	},
}

// AdviceOn returns what a hold means. One without words of its own says so.
func AdviceOn(r deploy.Reason) Advice {
	if a, ok := advices[r]; ok {
		return a
	}
	return Advice{Means: "The planner holds this back.", Ends: "See the documentation of the reason " + string(r) + "."}
}
