// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"cmp"
	"time"

	"github.com/kplan-go/kplan/selector"
)

// An Owner is a controller that claims children: a ReplicaSet claims pods, a Deployment
// ReplicaSets, a DaemonSet pods and revisions.
type Owner struct {
	APIVersion string
	Kind       string
	Namespace  string // "" for a cluster-scoped owner, which adopts in all namespaces
	Name       string
	UID        string
	Deleting   bool // it has a deletion timestamp
	Selector   selector.Selector

	ChildKind  string   // in messages; "" means Pod
	Finalizers []string // added to adopted and removed from released children
}

func (o *Owner) childKind() string { return cmp.Or(o.ChildKind, "Pod") }

// A Child holds the fields of an object that claiming reads. [Decide] reads the labels and
// the controller of every child, and the rest only if needed; Name and UID are for actions
// and messages.
type Child struct {
	Namespace string
	Name      string
	UID       string
	Labels    map[string]string

	// The controlling owner, all empty for an orphan: the first owner reference
	// whose controller field is true, see [ControllerOf].
	ControllerKind string
	ControllerName string
	ControllerUID  string

	Deleting bool // it has a deletion timestamp
	Finished bool // it is a pod that Succeeded or Failed; read only by [DecideActive] and [ClassifyActive]
	// Rejected means that a condition of the caller rejects the child. It then counts as not
	// matching: an owned child is released.
	Rejected bool
}

// Controlled reports whether the child has a controller.
func (c *Child) Controlled() bool {
	return c.ControllerUID != "" || c.ControllerKind != "" || c.ControllerName != ""
}

// ControlledBy reports whether the child's controller has the UID of o. Kind and name are not
// compared. It returns false for nil. It mirrors IsControlledBy of package v1 of
// apimachinery.
func (c *Child) ControlledBy(o *Owner) bool {
	return o != nil && c.ControllerUID == o.UID && c.Controlled()
}

// matches reports whether the child matches the owner.
func (o *Owner) matches(c *Child) bool { return o.Selector.Matches(c.Labels) && !c.Rejected }

// A Controller is an owner with the fields that other controllers are compared by.
type Controller struct {
	Owner             Owner
	CreationTimestamp time.Time
	TemplateLabels    map[string]string // of the children it creates
}

// CompareAge orders controllers by creation, the oldest first, then by name, namespace and
// UID.
//
// It mirrors OverlappingControllers of the controller package of Kubernetes 1.5, which
// compares only creation and name.
func CompareAge(a, b Controller) int {
	return cmp.Or(
		a.CreationTimestamp.Compare(b.CreationTimestamp),
		cmp.Compare(a.Owner.Name, b.Owner.Name),
		cmp.Compare(a.Owner.Namespace, b.Owner.Namespace),
		cmp.Compare(a.Owner.UID, b.Owner.UID),
	)
}
