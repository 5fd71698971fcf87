// SPDX-License-Identifier: Apache-2.0

package replicaset

// A Dialect is a release of Kubernetes with rules of its own.
type Dialect string

// Kubernetes15 decides as Kubernetes 1.5. Pods are created all at once, and a pod becomes
// available after minReadySeconds and not at that instant. Victims are chosen by
// [podorder.Legacy15] unless Order says otherwise. Pods that are not selected are released
// even by a ReplicaSet that is being deleted, and no live check comes before an adoption. A
// pod that is gone before it can be deleted is an error, and terminating pods are not
// reported.
//
// An adoption that fails ends no pass: what is left of the pass is planned without the pod, see
// [Result].Again. Events mean what [Effects15] says.
const Kubernetes15 Dialect = "v1.5"

// Kubernetes15WithoutGarbageCollector decides as Kubernetes 1.5 does with the flag
// --enable-garbage-collector=false: as [Kubernetes15], but all active pods that the selector
// selects are the ReplicaSet's, whoever controls them. None is adopted or released, and those
// that are created have no controller. Without a selector nothing is planned, as with one that
// cannot be used.
const Kubernetes15WithoutGarbageCollector Dialect = "v1.5-without-garbage-collector"

// is15 reports whether the rules are those of Kubernetes 1.5.
func (d Dialect) is15() bool { return d == Kubernetes15 || d == Kubernetes15WithoutGarbageCollector }
