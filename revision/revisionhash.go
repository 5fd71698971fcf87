// SPDX-License-Identifier: Apache-2.0

package revision

import "strconv"

// maxPrefixLength is how many bytes of its parent's name a ControllerRevision has.
const maxPrefixLength = 223

// RevisionName returns the name of a ControllerRevision of a StatefulSet:
// "parent-hash", with the parent's name cut to its first 223 bytes.
//
// It mirrors ControllerRevisionName of the history package of Kubernetes.
func RevisionName(parent, hash string) string {
	return parent[:min(len(parent), maxPrefixLength)] + "-" + hash
}

// DaemonSetRevisionName returns the name of a ControllerRevision of a DaemonSet:
// "daemonset-hash". It is not cut, and beyond 253 bytes the API server rejects it.
// If LongNameNotCut is repaired, it is cut as [ReplicaSetName] does.
//
// It mirrors snapshot of the DaemonSet controller of Kubernetes.
func DaemonSetRevisionName(daemonSet, hash string, opts Options) string {
	if opts.Repair.Has(LongNameNotCut) {
		return ReplicaSetName(daemonSet, hash)
	}
	return daemonSet + "-" + hash
}

// HashRevision returns the hash of a version of a StatefulSet. The dump is the text
// of the decoded data, "" if it was not decoded; if there is one, the data itself
// does not count. The probe is the collision count; unset and 0 differ.
//
// If DataBesideObjectNotHashed is repaired, the data always counts, and if
// SerialisationIsVersion is, it does so in the form that [Normalize] gives. Where data is normal and there is no dump, the hash is
// the same.
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

// fnv1 adds a text to a 32-bit FNV-1 hash, which multiplies before it adds and is
// not the FNV-1a of [Hash].
func fnv1(h uint32, text string) uint32 {
	for i := range len(text) {
		h = h*16777619 ^ uint32(text[i])
	}
	return h
}
