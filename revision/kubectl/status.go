// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/revision"
)

// ProgressDeadlineExceeded is the reason of the condition Progressing of a Deployment that has made
// no progress within its progress deadline.
const ProgressDeadlineExceeded = "ProgressDeadlineExceeded"

// A Deployment is a Deployment, with the fields that kubectl rollout status reads.
type Deployment struct {
	Name        string            `json:"name"`
	Generation  int64             `json:"generation,omitzero"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Replicas    *int32            `json:"replicas,omitzero"` // spec.replicas; nil is not compared
	Status      DeploymentStatus  `json:"status,omitzero"`
}

// A DeploymentStatus is the status of a Deployment.
type DeploymentStatus struct {
	ObservedGeneration int64  `json:"observedGeneration,omitzero"`
	Replicas           int32  `json:"replicas,omitzero"`
	UpdatedReplicas    int32  `json:"updatedReplicas,omitzero"`
	AvailableReplicas  int32  `json:"availableReplicas,omitzero"`
	ProgressingReason  string `json:"progressingReason,omitzero"` // of the condition Progressing; "" without one
}

// Report returns the output of kubectl rollout status --revision=number, and whether the command
// ends. A number of 0 or less means any revision. Report returns a [Refusal] if the Deployment has
// another revision or an unreadable one, or has exceeded its progress deadline.
//
// It mirrors the status viewer of Deployments of kubectl 0.36.3.
func (r Deployment) Report(number int64) (text string, done bool, err error) {
	if number > 0 {
		running, err := revision.Number(r.Annotations)
		if err != nil {
			var bad *kplan.FieldError
			errors.As(err, &bad) // kubectl shows the error of strconv alone
			return "", false, &Refusal{Reason: RefusedUnreadable, Name: r.Name, Number: number, Err: bad.Err}
		}
		if running != number {
			return "", false, &Refusal{Reason: RefusedOther, Name: r.Name, Number: number, Running: running}
		}
	}
	if r.Generation > r.Status.ObservedGeneration {
		return "Waiting for deployment spec update to be observed...\n", false, nil
	}
	if r.Status.ProgressingReason == ProgressDeadlineExceeded {
		return "", false, &Refusal{Reason: RefusedDeadline, Name: r.Name}
	}
	if waiting := r.waiting(); waiting != "" {
		return "Waiting for deployment " + strconv.Quote(r.Name) + " rollout to finish: " + waiting + "...\n", false, nil
	}
	return "deployment " + strconv.Quote(r.Name) + " successfully rolled out\n", true, nil
}

// waiting returns the text about the pods that the rollout waits for, or "".
func (r Deployment) waiting() string {
	s := &r.Status
	switch {
	case r.Replicas != nil && s.UpdatedReplicas < *r.Replicas:
		return fmt.Sprintf("%d out of %d new replicas have been updated", s.UpdatedReplicas, *r.Replicas)
	case s.Replicas > s.UpdatedReplicas:
		return fmt.Sprintf("%d old replicas are pending termination", s.Replicas-s.UpdatedReplicas)
	case s.AvailableReplicas < s.UpdatedReplicas:
		return fmt.Sprintf("%d of %d updated replicas are available", s.AvailableReplicas, s.UpdatedReplicas)
	}
	return ""
}
