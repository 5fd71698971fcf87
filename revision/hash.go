// SPDX-License-Identifier: Apache-2.0

package revision

import "strconv"

// LabelHash is the label with the [Template.Hash] of a ReplicaSet, in the labels and the selector
// of the ReplicaSet and in the labels of its pods.
const LabelHash = "pod-template-hash"

// hashAlphabet has no vowels, and no digits that look like vowels, to avoid hashes that spell a
// word. It is the alphabet of rand.SafeEncodeString of apimachinery 0.36.
const hashAlphabet = "bcdfghjklmnpqrstvwxz2456789"

// maxNameLength is the maximum length of an object's name, in bytes.
const maxNameLength = 253

// Hash returns the pod-template-hash of a template.
//
// The argument dump is the text that upstream hashes for the template. It depends on the API types;
// package kube computes it. The argument collisions is status.collisionCount of the Deployment or
// DaemonSet. A count of nil gives another hash than 0.
//
// It mirrors ComputeHash of the controller package of Kubernetes.
func Hash(dump string, collisions *int32) string {
	h := uint32(2166136261)
	for i := range len(dump) {
		h = fnv1a(h, dump[i])
	}
	if collisions != nil {
		// Upstream hashes an 8-byte buffer and fills only the first half.
		for n, i := uint32(*collisions), 0; i < 8; n, i = n>>8, i+1 {
			h = fnv1a(h, byte(n))
		}
	}
	return SafeEncode(strconv.FormatUint(uint64(h), 10))
}

// fnv1a adds one byte to a 32-bit FNV-1a hash.
func fnv1a(h uint32, b byte) uint32 { return (h ^ uint32(b)) * 16777619 }

// SafeEncode maps every byte of s to one of 27 letters and digits without vowels. The digits 0 to 9
// map to 4, 5, 6, 7, 8, 9, b, c, d and f.
func SafeEncode(s string) string {
	out := make([]byte, len(s))
	for i := range len(s) {
		out[i] = hashAlphabet[int(s[i])%len(hashAlphabet)]
	}
	return string(out)
}

// ReplicaSetName returns the name of a Deployment's ReplicaSet for a template with the hash:
// "deployment-hash". The Deployment's name is truncated to make the result at most 253 bytes long.
//
// It mirrors getNewReplicaSet of the deployment controller of Kubernetes.
func ReplicaSetName(deployment, hash string) string {
	limit := maxNameLength - 1 - len(hash)
	if limit > 0 {
		deployment = deployment[:min(limit, len(deployment))]
	}
	return deployment + "-" + hash
}
