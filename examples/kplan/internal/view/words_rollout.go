// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"

	"github.com/kplan-go/kplan/rollout/batchrelease"
	batchreleasereason "github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/kruise"
	kruisereason "github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// rolloutActions are the reasons of actions of the planners of Rollouts and BatchReleases.
var rolloutActions = actionWords{
	kruisereason.Finalizer:          "it must not vanish before it is closed, or is closed",
	batchreleasereason.Initialize:   "the workload is taken over",
	batchreleasereason.Upgrade:      "the current batch is released",
	kruisereason.GiveBack:           "the release ends",
	batchreleasereason.BatchLabel:   "it was updated in this batch",
	batchreleasereason.NoNeedUpdate: "it has the template of the rollback already",
	kruisereason.WorkloadType:       "so that admission sees the workload",
	kruisereason.Hash:               "the strategy has changed",
	kruisereason.RolloutID:          "the release has another id",
	kruisereason.Step:               "the current step asks for it",
	kruisereason.Closing:            "the release ends",
	kruisereason.RestoreTraffic:     "no traffic is to be led apart",
	kruisereason.PinTraffic:         "stable traffic must not reach new pods",
	kruisereason.RouteTraffic:       "the step leads traffic to new pods",
}

// rolloutHolds are the reasons of holds of the planners of Rollouts and BatchReleases.
var rolloutHolds = holdWords{
	kruisereason.NotObserved: {
		Text:  "generation %d of %d has been observed",
		Means: "The controller of the workload has not seen the last change yet.",
		Ends:  "It does within seconds; if not, look at that controller.",
	},
	batchreleasereason.TooFewUpdated: {
		Text:  "updated pods: %d; the batch asks for %d",
		Means: "The controller of the workload has not updated all pods of the batch yet.",
		Ends:  "It does as pods become available; see kplan explain of the workload.",
	},
	batchreleasereason.TooFewReady: {
		Text:  "updated pods that are ready, or need not be: %d; the batch asks for %d",
		Means: "Too many updated pods of the batch are not ready.",
		Ends:  "They become ready; a larger failureThreshold asks for fewer.",
	},
	batchreleasereason.NoneReady: {
		Text:  "updated pods that are ready: %d of %d",
		Means: "No updated pod is ready.",
		Ends:  "One becomes ready; if not, look at events, logs and readiness probes.",
	},
	batchreleasereason.TooFewLabelled: {
		Text:  "pods with the label of the rollout: %d of %d",
		Means: "Not all updated pods carry the label of their batch yet.",
		Ends:  "The next pass labels them.",
	},
	batchreleasereason.NoControlInfo: {
		Text:  "the workload does not name its BatchRelease",
		Means: "The workload was not taken over by this BatchRelease, or changed since.",
		Ends:  "Someone restores the annotation control-info, or rolls back.", Stuck: true,
	},
	batchreleasereason.MinReadySeconds: {
		Text:  "minReadySeconds is %d and not %d",
		Means: "New pods would count as available at once, so the batch is refused.",
		Ends:  "Someone restores minReadySeconds of the workload.", Stuck: true,
	},
	batchreleasereason.StrategyType: {
		Text:  "the strategy is not RollingUpdate",
		Means: "The strategy of the workload does not allow the batch.",
		Ends:  "Someone restores the strategy RollingUpdate.", Stuck: true,
	},
	batchreleasereason.NoRollingUpdate: {
		Text:  "the strategy has no limits",
		Means: "The strategy of the workload has no block rollingUpdate.",
		Ends:  "Someone restores the limits.", Stuck: true,
	},
	batchreleasereason.DeadlineSeconds: {
		Text:  "progressDeadlineSeconds is finite",
		Means: "The workload could exceed its progress deadline, so the batch is refused.",
		Ends:  "Someone restores progressDeadlineSeconds of the workload.", Stuck: true,
	},
	batchreleasereason.NotResumed: {
		Text:  "it is still paused",
		Means: "The workload was given back, but is still paused.",
		Ends:  "The next pass resumes it.",
	},
	batchreleasereason.NotPromoted: {
		Text:  "updated pods: %d of %d",
		Means: "The workload was given back, but not all of its pods are updated.",
		Ends:  "Its controller updates the rest as pods become available.",
	},
	batchreleasereason.NotAvailable: {
		Text:  "available pods: %d; there have to be %d",
		Means: "The workload was given back, but not enough of its pods are available.",
		Ends:  "Pods become available; if not, look at their events.",
	},
	kruisereason.WorkloadNotFound: {
		Text:  "the workload does not exist",
		Means: "There is nothing to release.",
		Ends:  "Create the workload, or correct spec.workloadRef.", Stuck: true,
	},
	kruisereason.WorkloadInconsistent: {
		Text:  "its controller has not seen the last change",
		Means: "Nothing is known about the workload until its controller has seen the last change.",
		Ends:  "It does within seconds; if not, look at that controller.",
	},
	kruisereason.NoUpdate: {
		Text:  "there is nothing to release",
		Means: "The workload has not changed since the last release.",
		Ends:  "Change the template of the workload.",
	},
	kruisereason.Initializing: {
		Text:  "%d of %d seconds have passed since the release was noticed",
		Means: "A release waits a moment before it begins.",
		Ends:  "Time passes.",
	},
	kruisereason.SharedRouting: {
		Text:  "the TrafficRouting is in use, or is being taken",
		Means: "Another Rollout uses the TrafficRouting, or it is being taken for this one.",
		Ends:  "The other Rollout ends, or the next pass goes on.",
	},
	kruisereason.Paused: {
		Text:  "the Rollout is paused",
		Means: "The Rollout is paused by spec.strategy.paused.",
		Ends:  "Set spec.strategy.paused to false.",
	},
	kruisereason.RollbackFirst: {
		Text:  "a blue-green release is under way",
		Means: "A blue-green release must be rolled back before the next one.",
		Ends:  "Roll the workload back, and release again.", Stuck: true,
	},
	kruisereason.Approval: {
		Text:  "a person has to confirm step %d of %d",
		Means: "The step has no duration, and waits for a person.",
		Ends:  "kubectl-kruise rollout approve, or patch status.currentStepState to StepReady.",
	},
	kruisereason.Pause: {
		Text:  "%d of %d seconds of the pause have passed",
		Means: "The step pauses for a while.",
		Ends:  "Time passes; a person may confirm the step earlier.",
	},
	kruisereason.UnknownState: {
		Text:  "the state of the step is none that leads on",
		Means: "The state of the step in status.currentStepState is unknown.",
		Ends:  "Someone corrects the status, or rolls back.", Stuck: true,
	},
	kruisereason.ReleaseMissing: {
		Text:  "the BatchRelease is being created",
		Means: "The BatchRelease that drives the workload is being created.",
		Ends:  "The next pass goes on.",
	},
	kruisereason.ReleaseOutdated: {
		Text:  "the BatchRelease is being updated",
		Means: "The BatchRelease has not seen its latest plan yet.",
		Ends:  "It does within seconds; if not, look at the controller of OpenKruise Rollouts.",
	},
	kruisereason.ReleaseExists: {
		Text:  "the BatchRelease is being deleted",
		Means: "The BatchRelease goes before the release can end.",
		Ends:  "It gives the workload back and goes.",
	},
	kruisereason.ReleaseFinalizing: {
		Text:  "the BatchRelease gives the workload back",
		Means: "The workload is being given back.",
		Ends:  "All pods are updated and available.",
	},
	kruisereason.PlanNotObserved: {
		Text:  "the BatchRelease has yet to see its plan",
		Means: "The controller of the BatchRelease has not seen its last plan yet.",
		Ends:  "It does within seconds; if not, look at that controller.",
	},
	kruisereason.EarlierBatch: {
		Text:  "the BatchRelease is at batch %d; the step is %d",
		Means: "The BatchRelease is still at an earlier batch.",
		Ends:  "It goes on within seconds; see what the BatchRelease waits for.",
	},
	kruisereason.BatchNotVerified: {
		Text:  "the pods of the step are ready, and the BatchRelease has yet to say so",
		Means: "The BatchRelease has not reported the batch of the step as ready yet.",
		Ends:  "It does within seconds; see what the BatchRelease waits for.",
	},
	kruisereason.BatchNotReady: {
		Text:  "ready pods of the step: %d; it asks for %d",
		Means: "The batch of the step is not ready.",
		Ends:  "Its pods become ready; see what the BatchRelease waits for.",
	},
	kruisereason.DeadlineExceeded: {
		Text:  "%d seconds have passed since the step began, %d are allowed",
		Means: "The step takes longer than it may.",
		Ends:  "It goes on by itself if pods become ready; else fix the template or roll back.", Stuck: true,
	},
	kruisereason.Analysis: {
		Text:  "the analysis of the step runs",
		Means: "The step is being analysed.",
		Ends:  "The analysis ends.",
	},
	kruisereason.AnalysisFailed: {
		Text:  "the analysis of the step has failed",
		Means: "The analysis of the step has failed, and a person has to decide.",
		Ends:  "Roll back, or confirm the step.", Stuck: true,
	},
	kruisereason.Grace: {
		Text:  "%d of %d seconds have passed since traffic was changed",
		Means: "Traffic was changed, and the router needs time to follow.",
		Ends:  "Time passes: gracePeriodSeconds.",
	},
	kruisereason.TrafficChanged: {
		Text:  "the routes are verified in the next pass",
		Means: "Traffic was changed just now.",
		Ends:  "The next pass verifies it.",
	},
	kruisereason.TrafficMissing: {
		Text:  "a Service or a route does not exist",
		Means: "Traffic cannot be led, because a Service or a route does not exist.",
		Ends:  "Create it, or correct spec.strategy.canary.trafficRoutings.", Stuck: true,
	},
	kruisereason.NoStableService: {
		Text:  "the stable Service is missing, or is not to be pinned",
		Means: "Traffic cannot be led, because the stable Service is missing or not to be pinned.",
		Ends:  "Create it; with disableGenerateCanaryService, --corrected goes on.", Stuck: true,
	},
	kruisereason.RevisionUnknown: {
		Text:  "the revisions of the Services are not known yet",
		Means: "The labels of old and new pods are not known yet.",
		Ends:  "New pods exist; if not, look at the workload.",
	},
}

// rolloutPhrase returns the words for an action of either planner.
func rolloutPhrase(a fmt.Stringer) string {
	switch a := a.(type) {
	case kruise.SetFinalizer:
		return finalizerText(a.Kind, a.Name, a.Remove)
	case kruise.PatchRollout:
		return "annotate rollout " + a.Name
	case kruise.PatchWorkload:
		return patchText(a.Workload, a.Patch)
	case kruise.CreateBatchRelease:
		return "create batch release " + a.Name + ", " + batches(a.ReleasePlan)
	case kruise.UpdateBatchRelease:
		return "update batch release " + a.Name + ", " + batches(a.ReleasePlan)
	case kruise.PatchBatchRelease:
		if a.Finalize != "" {
			return "let batch release " + a.Name + " give the workload back"
		}
		return "patch batch release " + a.Name
	case kruise.DeleteBatchRelease:
		return "delete batch release " + a.Name
	}
	return batchPhrase(a)
}

// batchPhrase returns the words for an action of the planner of BatchReleases.
func batchPhrase(a fmt.Stringer) string {
	switch a := a.(type) {
	case batchrelease.SetFinalizer:
		return finalizerText(a.Kind, a.Name, a.Remove)
	case batchrelease.PatchWorkload:
		return patchText(a.Workload, a.Patch)
	case batchrelease.CreateCanary:
		return "create a canary deployment of " + a.Stable
	case batchrelease.PatchReplicaSet:
		return fmt.Sprintf("set minReadySeconds of replica set %s to %d", a.Name, a.MinReadySeconds)
	case batchrelease.RetargetAutoscaler:
		return fmt.Sprintf("retarget autoscaler %s from %s to %s", a.Name, a.From, a.To)
	case batchrelease.LabelPod:
		return fmt.Sprintf("label pod %s: batch %s", a.Name, dash(a.Labels[workload.LabelBatchID]))
	}
	return trafficPhrase(a)
}

// trafficPhrase returns the words for an action that routes traffic.
func trafficPhrase(a fmt.Stringer) string {
	switch a := a.(type) {
	case kruise.SelectPods:
		if a.Value == "" {
			return fmt.Sprintf("service %s: select pods whatever their %s", a.Service, a.Key)
		}
		return fmt.Sprintf("service %s: select pods with %s=%s alone", a.Service, a.Key, a.Value)
	case kruise.CreateService:
		return fmt.Sprintf("create service %s like %s", a.Name, a.Stable)
	case kruise.DeleteService:
		return "delete service " + a.Name
	case kruise.SetRoute:
		return "route " + a.Name + ": " + weights(a.Rules)
	case kruise.SetIngress:
		return "ingress " + a.Name + ": " + ingressText(&a)
	case kruise.DeleteIngress:
		return "delete ingress " + a.Name
	}
	return a.String()
}

func finalizerText(kind, name string, removed bool) string {
	verb := "add a finalizer to "
	if removed {
		verb = "remove the finalizer of "
	}
	return verb + words(kind) + " " + name
}

func patchText(ref workload.Ref, p workload.Patch) string {
	return fmt.Sprintf("patch %s %s: %s", words(ref.Kind), ref.Name, oneLine(p.Body(ref)))
}

func batches(p batchrelease.ReleasePlan) string {
	if p.BatchPartition == nil {
		return fmt.Sprintf("all of %d batches", len(p.Batches))
	}
	return fmt.Sprintf("batch %d of %d", *p.BatchPartition+1, len(p.Batches))
}

// weights returns the words for the weights of rules.
func weights(rules []traffic.Rule) string {
	var texts []string
	for _, r := range rules {
		var refs []string
		for _, b := range r.BackendRefs {
			weight := int32(1)
			if b.Weight != nil {
				weight = *b.Weight
			}
			refs = append(refs, fmt.Sprintf("%s %d", b.Name, weight))
		}
		texts = append(texts, strings.Join(refs, ", "))
	}
	return strings.Join(texts, "; ")
}

func ingressText(a *kruise.SetIngress) string {
	const prefix = "nginx.ingress.kubernetes.io/canary-"
	verb := "update"
	if a.Create {
		verb = "create"
	}
	if w, ok := a.Annotations[prefix+"weight"]; ok {
		return verb + " with weight " + w
	}
	if h, ok := a.Annotations[prefix+"by-header"]; ok {
		return verb + " for header " + h
	}
	return verb
}
