// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/kplan-go/kplan/internal/base/union"
	"github.com/kplan-go/kplan/rollout"
)

// safe is the alphabet of names without vowels and digits that look like them.
const safe = "bcdfghjklmnpqrstvwxz2456789"

// StrategyHash returns the value of the annotation [workload.AnnotationHash]: a digest of the
// strategy without its failure threshold and pauses, so that changing these is not a
// change of the plan. Without a strategy it is the digest of null.
func StrategyHash(r Rollout) string {
	digest := sha256.Sum256([]byte(strategyText(r)))
	text := []byte(hex.EncodeToString(digest[:]))
	for i, b := range text {
		text[i] = safe[int(b)%len(safe)]
	}
	return string(text)
}

// strategyText returns the JSON whose digest is [StrategyHash].
func strategyText(r Rollout) string {
	s := r.Strategy()
	if s == nil {
		return "null"
	}
	reduced := *s
	reduced.FailureThreshold = rollout.IntOrPercent{}
	if r.BlueGreen != nil {
		reduced.PatchPodTemplateMetadata, reduced.EnableExtraWorkloadForCanary = nil, false
	}
	reduced.Steps = slices.Clone(s.Steps)
	for i := range reduced.Steps {
		reduced.Steps[i].Pause = Pause{}
	}
	return union.Text(reduced)
}
