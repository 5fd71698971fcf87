// SPDX-License-Identifier: Apache-2.0

package replicaset

// A Dialect is a release of Kubernetes with different rules.
type Dialect string

// Kubernetes15 decides as Kubernetes 1.5. Pods are created all at once, and a pod becomes
// available after minReadySeconds and not at that instant. Victims are chosen by
// [podorder.Legacy15] unless Order sets another chain. Pods that are not selected are
// released even by a ReplicaSet that is being deleted, and no live check comes before an
// adoption. A pod that is gone before its deletion is an error, and terminating pods are not
// reported.
//
// A failed adoption does not end the pass: the rest of the pass is planned without the pod,
// see [Result].Again. [Effects15] gives the effects of events.
const Kubernetes15 Dialect = "v1.5"

// Kubernetes15WithoutGarbageCollector decides as Kubernetes 1.5 with the flag
// --enable-garbage-collector=false: like [Kubernetes15], but all active pods that the
// selector selects belong to the ReplicaSet, with any controller. None is adopted or
// released, and new pods have no controller. Without a selector, or with one that cannot be
// used, nothing is planned.
const Kubernetes15WithoutGarbageCollector Dialect = "v1.5-without-garbage-collector"

// is15 reports whether the rules of Kubernetes 1.5 apply.
func (d Dialect) is15() bool { return d == Kubernetes15 || d == Kubernetes15WithoutGarbageCollector }
