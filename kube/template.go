// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"reflect"

	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/revision"
)

// Template returns the ID of t and its pod-template-hash, which equals the hash of
// Kubernetes as long as the API types are from the same release. Collisions is the
// Deployment's status.collisionCount. The hash costs about three IDs, and only a new
// ReplicaSet needs it; see [TemplateID].
//
// It mirrors ComputeHash of the controller package of Kubernetes.
func Template(t *corev1.PodTemplateSpec, collisions *int32) revision.Template {
	t = convert.Or(t)
	return revision.Template{ID: TemplateID(t), Hash: templateHash(t, collisions)}
}

// TemplateID returns a text that two templates share if and only if they are semantically
// equal, the label pod-template-hash aside. Nil and empty lists and maps are the same.
// Quantities are compared by value and times by instant. The order of a list matters, and
// an unset pointer is not a pointer to zero. Nothing is defaulted.
//
// The text is a digest, the same in every process. A field that a later release
// adds does not change the IDs of templates that leave it unset.
//
// It mirrors EqualIgnoreHash of the deployment util package of Kubernetes.
func TemplateID(t *corev1.PodTemplateSpec) string {
	var i identifier
	return i.templateID(t)
}

// An identifier computes the IDs of many templates in the same memory. It keeps the encoding of
// the first one, the Deployment's: a ReplicaSet with the same template has the same ID.
type identifier struct {
	encoder
	first int // how much of the memory that is
	id    string
}

func (i *identifier) templateID(t *corev1.PodTemplateSpec) string {
	t = convert.Or(t)
	if i.buf = i.buf[:i.first]; i.buf == nil {
		i.buf = make([]byte, 0, 512*(1+len(t.Spec.Containers)))
	}
	i.encode(templateShape(), reflect.ValueOf(t).Elem())
	encoded := i.buf[i.first:]
	if i.first > 0 && bytes.Equal(encoded, i.buf[:i.first]) {
		return i.id
	}
	sum := sha256.Sum256(encoded)
	var text [43]byte // 32 bytes, 6 bits a character
	base64.RawURLEncoding.Encode(text[:], sum[:])
	id := string(text[:])
	if i.first == 0 {
		i.first, i.id = len(encoded), id
	}
	return id
}
