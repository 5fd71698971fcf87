// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// failedCreate is the reason of events about pods that could not be created.
const failedCreate = "FailedCreate"

// A Failure is what an event quotes of a creation that was refused.
type Failure struct {
	Object  string // ReplicaSet web-6b6449b5bf
	Message string
	Count   int32 // how often, at least 1
	Last    time.Time
}

// An event is one of the API, of either group. They have the same fields under two names.
type event struct {
	metav1.ObjectMeta `json:"metadata"`

	Type      string                 `json:"type"`
	Reason    string                 `json:"reason"`
	Involved  corev1.ObjectReference `json:"involvedObject"`
	Regarding corev1.ObjectReference `json:"regarding"`
	Message   string                 `json:"message"`
	Note      string                 `json:"note"`

	Count         int32            `json:"count"`
	LastTimestamp metav1.Time      `json:"lastTimestamp"`
	EventTime     metav1.MicroTime `json:"eventTime"`

	DeprecatedCount         int32       `json:"deprecatedCount"`
	DeprecatedLastTimestamp metav1.Time `json:"deprecatedLastTimestamp"`

	Series *struct {
		Count            int32            `json:"count"`
		LastObservedTime metav1.MicroTime `json:"lastObservedTime"`
	} `json:"series"`
}

// Failures are the latest events about each object whose pods were refused.
type failures struct {
	byUID map[types.UID]Failure
}

// add takes from an event what it quotes, and when that was last.
func (o *failures) add(u *unstructured.Unstructured) (last time.Time, err error) {
	e := &event{}
	if _, err := decode(u, e); err != nil || e.Type != corev1.EventTypeWarning || e.Reason != failedCreate {
		return last, err // it explains nothing
	}
	about := cmp.Or(e.Involved, e.Regarding)
	f := Failure{Object: describe(about.Kind, about.Name), Message: cmp.Or(e.Message, e.Note), Count: max(1, e.Count, e.DeprecatedCount)}
	f.Last = latestOf(e.CreationTimestamp.Time, e.LastTimestamp.Time, e.DeprecatedLastTimestamp.Time, e.EventTime.Time)
	if s := e.Series; s != nil {
		f.Count, f.Last = max(f.Count, s.Count), latestOf(f.Last, s.LastObservedTime.Time)
	}
	if o.byUID == nil {
		o.byUID = map[types.UID]Failure{}
	}
	if before, ok := o.byUID[about.UID]; about.UID != "" && (!ok || f.Last.After(before.Last)) {
		o.byUID[about.UID] = f
	}
	return f.Last, nil
}

func latestOf(times ...time.Time) (last time.Time) {
	for _, t := range times {
		if t.After(last) {
			last = t
		}
	}
	return last
}
