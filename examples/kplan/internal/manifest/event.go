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

// A Failure is a refused creation, as an event reports it.
type Failure struct {
	Object  string // such as ReplicaSet "web-6b6449b5bf"
	Message string
	Count   int32 // how often, at least 1
	Last    time.Time
}

// An event is an Event of either API group. The groups use different names for the same fields.
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

// failures holds the latest failure of each object with refused pods.
type failures struct {
	byUID map[types.UID]Failure
}

// add adds the failure that an event reports, and returns the time of its last occurrence.
func (o *failures) add(u *unstructured.Unstructured) (last time.Time, err error) {
	e := &event{}
	if _, err := decode(u, e); err != nil || e.Type != corev1.EventTypeWarning || e.Reason != failedCreate {
		return last, err // other events do not matter
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
