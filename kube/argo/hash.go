// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/rand"
)

// TemplateHash returns the hash of a template. ReplicaSets, their pods and the status
// refer to the template by it. It covers the template as written: the API server sets
// no defaults in Rollouts.
func TemplateHash(t *corev1.PodTemplateSpec, collisionCount *int32) string {
	data, err := json.Marshal(t)
	if err != nil {
		return "" // no template can cause it
	}
	if collisionCount != nil {
		data = append(data, binary.LittleEndian.AppendUint64(nil, uint64(uint32(*collisionCount)))...)
	}
	return encode(data)
}

// StepHash returns the hash of the steps of a canary, and whether it is known: it is
// not if a step is an experiment or a plugin, whose contents are ignored here. For
// other strategies it is empty.
func StepHash(s Strategy) (hash string, known bool) {
	if s.BlueGreen != nil || s.Canary == nil {
		return "", true
	}
	for _, step := range s.Canary.Steps {
		if step.Experiment != nil || step.Plugin != nil {
			return "", false
		}
	}
	data, err := json.Marshal(s.Canary.Steps)
	return encode(data), err == nil
}

func encode(data []byte) string {
	h := fnv.New32a()
	h.Write(data)
	return rand.SafeEncodeString(strconv.FormatUint(uint64(h.Sum32()), 10))
}
