// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"strconv"

	"github.com/kplan-go/kplan/revision/quirk"
)

// maxParentLength is the maximum length, in bytes, of the name of a StatefulSet in the names of
// its ControllerRevisions. The names of other parents have other limits.
const maxParentLength = 223

// RevisionName returns the name of a ControllerRevision of a StatefulSet:
// "parent-hash", with the parent's name truncated to 223 bytes.
//
// It mirrors ControllerRevisionName of the history package of Kubernetes.
func RevisionName(parent, hash string) string {
	return parent[:min(len(parent), maxParentLength)] + "-" + hash
}

// DaemonSetRevisionName returns the name of a ControllerRevision of a DaemonSet:
// "daemonset-hash". It is not truncated, and the API server rejects more than 253 bytes.
// With quirk.LongNameNotCut in [Options].Repair, it is truncated as in [ReplicaSetName].
//
// It mirrors snapshot of the DaemonSet controller of Kubernetes.
func DaemonSetRevisionName(daemonSet, hash string, opts Options) string {
	if opts.Repair.Has(quirk.LongNameNotCut) {
		return ReplicaSetName(daemonSet, hash)
	}
	return daemonSet + "-" + hash
}

// HashRevision returns the hash of a revision of a StatefulSet. The argument dump is the text of
// the object that the data was decoded into, see [ControllerRevision].Dump, and usually empty.
// With a dump, the hash ignores the data. The argument collisions is the collision count, nil if
// unset: unset and 0 give different hashes.
//
// With quirk.DataBesideObjectNotHashed in [Options].Repair, data and dump are hashed. With
// quirk.SerialisationIsVersion, the data is hashed in its normal form, see [Normalize]. Neither
// changes the hash of data that is in its normal form and has no dump.
//
// It mirrors HashControllerRevision of the history package of Kubernetes.
func HashRevision(data []byte, dump string, collisions *int32, opts Options) string {
	h := uint32(2166136261)
	if dump == "" || opts.Repair.Has(quirk.DataBesideObjectNotHashed) {
		h = fnv1(h, string(comparedData(data, opts)))
	}
	h = fnv1(h, dump)
	if collisions != nil {
		h = fnv1(h, strconv.FormatInt(int64(*collisions), 10))
	}
	return SafeEncode(strconv.FormatUint(uint64(h), 10))
}

// fnv1 adds a text to a 32-bit FNV-1 hash. For each byte FNV-1 multiplies and then XORs; FNV-1a,
// which [Hash] uses, XORs first.
func fnv1(h uint32, text string) uint32 {
	for i := range len(text) {
		h = h*16777619 ^ uint32(text[i])
	}
	return h
}
