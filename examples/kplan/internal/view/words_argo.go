// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/reason"
)

// argoActions are the reasons of actions on Rollouts of Argo.
var argoActions = actionWords{
	reason.NewTemplate:    "no ReplicaSet has this template; the next pass sizes it",
	reason.Restart:        "it is older than spec.restartAt",
	reason.Weight:         "the sizes follow the step",
	reason.OtherTemplate:  "its template is neither wanted nor stable",
	reason.Stable:         "all stable pods are kept",
	reason.Preview:        "the new pods are looked at before they are promoted",
	reason.Promotion:      "the traffic follows the promotion, or the abort",
	reason.Traffic:        "the requests follow the step, and the pods that can serve them",
	reason.ScaleDownDelay: "requests may still be on their way to old pods",
	reason.Aborted:        "the update is given up",
}

const becomeAvailable = "They become available; if not, look at events, logs and readiness probes."

// argoHolds are the reasons of holds on Rollouts of Argo.
var argoHolds = holdWords{
	reason.Paused: {
		Text: "the Rollout is paused", Means: "The Rollout is paused by spec.paused, or by an analysis without a result.",
		Ends: "Someone resumes it.", Stuck: true,
	},
	reason.Approval: {
		Text: "step %d of %d waits for a person", Means: "The step waits for approval.",
		Ends: "Someone promotes it: kubectl argo rollouts promote.",
	},
	reason.Pause: {
		Text: "%d of %d seconds have passed", Means: "The pause of the step is not over.", Ends: "It ends by itself.",
	},
	reason.BatchNotReady: {
		Text: "available pods: %d; %d are wanted", Means: "The new pods are not all available.", Ends: becomeAvailable,
	},
	reason.PreviewNotReady: {
		Text: "available pods of the preview: %d; %d are wanted", Means: "The pods of the preview are not all available.", Ends: becomeAvailable,
	},
	reason.StableNotReady: {
		Text: "available stable pods: %d; what is left to them takes %d", Means: "The stable pods cannot serve the share that the next weight leaves to them.",
		Ends: "They become available; until then the weight stays.",
	},
	reason.StableUnavailable: {
		Text: "available pods of the stable template: %d; %d are wanted", Means: "Pods of the stable template are not available.", Ends: becomeAvailable,
	},
	reason.StableNotCreated: {
		Text: "pods of the stable template: %d; %d are wanted", Means: "The stable ReplicaSet has not created all of its pods, and the step asks for them.",
		Ends: "It creates them; if not, look at its events.",
	},
	reason.ReplicaFailure: {
		Text: "the ReplicaSet cannot create or delete pods: it has %d of %d", Means: "The API server rejects the pods that the ReplicaSet creates or deletes.",
		Ends: "Remove the cause, such as a quota, a webhook or a missing service account.", Stuck: true,
	},
	reason.PodsRemain: {
		Text: "pods that are left: %d; %d may be", Means: "Pods that are to go are still there.",
		Ends: "They go when enough other pods are available, and end within their grace period.",
	},
	reason.Unverified: {
		Text: "weight %d of %d is not verified", Means: "The router has not taken over the weight of the step yet.",
		Ends: "It does within seconds; if not, look at the router.",
	},
	reason.Analysis: {
		Text: "step %d of %d waits for an analysis, an experiment or a plugin", Means: "An analysis has not succeeded yet.",
		Ends: "It ends; if it fails, the update is given up.",
	},
	reason.Restart: {
		Text: "%d of %d pods are newer than spec.restartAt", Means: "Its pods are restarted, as many at once as may be unavailable.",
		Ends: "New pods become available; if a disruption budget refuses, it is tried again.",
	},
	reason.ScaleDownDelay: {
		Text: "the pods of the update that was given up are kept for a while", Means: "The delay before new pods go is not over.", Ends: "It ends by itself.",
	},
	reason.Aborted: {
		Text: "the update is given up", Means: "The update was given up, by a person, an analysis or the deadline.",
		Ends: "Someone retries it, or goes back to the stable template.", Stuck: true,
	},
}

// argoPhrase returns the words for an action.
func argoPhrase(action argo.Action) string {
	switch a := action.(type) {
	case argo.CreateReplicaSet:
		return fmt.Sprintf("create replica set %s with %s, revision %d", a.Name, plural(a.Replicas, "pod"), a.Revision)
	case argo.ScaleReplicaSet:
		if a.From == a.To {
			return fmt.Sprintf("note size %d at replica set %s", a.Desired, a.Name)
		}
		return fmt.Sprintf("scale replica set %s from %d to %d", a.Name, a.From, a.To)
	case argo.DelayReplicaSet:
		if a.Until.IsZero() {
			return fmt.Sprintf("keep the pods of replica set %s", a.Name)
		}
		return fmt.Sprintf("let the pods of replica set %s go at %s", a.Name, a.Until.Format(time.RFC3339))
	case argo.EvictPod:
		return "evict pod " + a.Name
	case argo.SetRoute:
		return fmt.Sprintf("set route %s to service %s: %s", a.Route.Name, dash(a.Service), argoRoute(&a.Route))
	case argo.RemoveRoute:
		return "remove route " + a.Name
	case argo.SelectPods:
		return fmt.Sprintf("let service %s select %s", a.Service, a.Value)
	case argo.SetWeight:
		if a.Canary.Hash == a.Stable.Hash {
			return "lead all requests to " + a.Stable.Hash
		}
		return fmt.Sprintf("lead %d of %d requests to %s", a.Canary.Weight, a.Canary.Weight+a.Stable.Weight, a.Canary.Hash)
	}
	return fmt.Sprint(action)
}

// argoRoute returns the words for the requests of a route.
func argoRoute(r *argo.Route) string {
	if r.Mirror != nil {
		share := int32(100)
		if r.Mirror.Percentage != nil {
			share = *r.Mirror.Percentage
		}
		return fmt.Sprintf("copies of %d%% of what it matches", share)
	}
	var names []string
	for _, h := range r.Headers {
		names = append(names, h.Name)
	}
	return "requests with header " + strings.Join(names, " or ")
}

// argoAdvice returns the advice on a hold. A hold on the promotion, not on a step, has no numbers.
func argoAdvice(h kplan.Hold) Advice {
	a := argoHolds.advice(h.Reason)
	if h.Limit == 0 && (h.Reason == reason.Approval || h.Reason == reason.Analysis) {
		a.Text = "the promotion" + strings.TrimPrefix(a.Text, "step %d of %d")
	}
	if h.Limit == 0 && h.Reason == reason.Approval {
		a.Means = "A person has to promote the update."
	}
	return a
}

// argoWaits returns the comparison of a hold, with its numbers.
func argoWaits(h kplan.Hold) string {
	return argoAdvice(h).of(h.Have, h.Limit)
}

// argoSubject returns the words for the object of a hold.
func argoSubject(h kplan.Hold) string {
	if h.Name == "" {
		return "rollout"
	}
	return "replica set " + h.Name
}
