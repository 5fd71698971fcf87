// SPDX-License-Identifier: Apache-2.0

package revision

import "strconv"

// maxPrefixLength is the maximum length of the parent's name in the name of a
// ControllerRevision, in bytes.
const maxPrefixLength = 223

// RevisionName returns the name of a ControllerRevision of a StatefulSet:
// "parent-hash", with the parent's name truncated to 223 bytes.
//
// It mirrors ControllerRevisionName of the history package of Kubernetes.
func RevisionName(parent, hash string) string {
	return parent[:min(len(parent), maxPrefixLength)] + "-" + hash
}

// DaemonSetRevisionName returns the name of a ControllerRevision of a DaemonSet:
// "daemonset-hash". It is not truncated, and the API server rejects more than 253 bytes.
// If LongNameNotCut is repaired, it is truncated as in [ReplicaSetName].
//
// It mirrors snapshot of the DaemonSet controller of Kubernetes.
func DaemonSetRevisionName(daemonSet, hash string, opts Options) string {
	if opts.Repair.Has(LongNameNotCut) {
		return ReplicaSetName(daemonSet, hash)
	}
	return daemonSet + "-" + hash
}

// HashRevision returns the hash of a revision of a StatefulSet. The argument dump is the
// text of the decoded data, "" if it was not decoded; with a dump, the hash ignores the
// data. The argument probe is the collision count; unset and 0 differ.
//
// If DataBesideObjectNotHashed is repaired, data and dump are hashed. If
// SerialisationIsVersion is repaired, the data is hashed in its normal form, see
// [Normalize]. The repairs do not change the hash of normal data without a dump.
//
// It mirrors HashControllerRevision of the history package of Kubernetes.
func HashRevision(data []byte, dump string, probe *int32, opts Options) string {
	h := uint32(2166136261)
	if dump == "" || opts.Repair.Has(DataBesideObjectNotHashed) {
		h = fnv1(h, string(prepared(data, opts)))
	}
	h = fnv1(h, dump)
	if probe != nil {
		h = fnv1(h, strconv.FormatInt(int64(*probe), 10))
	}
	return SafeEncode(strconv.FormatUint(uint64(h), 10))
}

// fnv1 adds a text to a 32-bit FNV-1 hash. FNV-1 multiplies before it adds, unlike the
// FNV-1a of [Hash].
func fnv1(h uint32, text string) uint32 {
	for i := range len(text) {
		h = h*16777619 ^ uint32(text[i])
	}
	return h
}
