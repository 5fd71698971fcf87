// SPDX-License-Identifier: Apache-2.0

package pausepoint

import (
	"strconv"
	"strings"
)

// Annotation is the pod annotation that makes a rolling update pause when it reaches the pod.
// Its value is a [Mode]; "true" and "" also mean "before", and "off" means "false".
const Annotation = "controller.alpha.kubernetes.io/pause-point"

// AnnotationHit is the Deployment annotation with the pods at which the rollout has paused: see
// [Token].
const AnnotationHit = "controller.alpha.kubernetes.io/pause-points-hit"

// A Mode determines whether a rollout pauses before or after the deletion of a pod.
type Mode string

// The modes of a pause point.
const (
	Never  Mode = "false"  // no pause
	Before Mode = "before" // the pod is deleted after a user has resumed the rollout
	After  Mode = "after"  // the pod is deleted while the rollout is paused
)

// Parse returns the mode from the annotations of a pod; without the annotation it is Never.
// valid is false for an unknown value, whose mode is Before: somebody wanted a pause here.
func Parse(annotations map[string]string) (mode Mode, valid bool) {
	text, ok := annotations[Annotation]
	if !ok {
		return Never, true
	}
	switch text {
	case "false", "off":
		return Never, true
	case "before", "true", "":
		return Before, true
	case "after":
		return After, true
	}
	return Before, false
}

// A Token is the value of [AnnotationHit]: the pods at which the rollout to a revision has
// paused, the most recent pod last. While the Deployment is paused, it waits at the pod of the
// last entry. Once it is not paused, all entries are acknowledged. A token of another revision
// is ignored, so each rollout pauses at the same pods again.
type Token struct {
	Revision int64 // of the new ReplicaSet
	Entries  []Entry
}

// An Entry is a pod at which a rollout has paused.
type Entry struct {
	Mode Mode // Before or After
	UID  string
}

// ParseToken reads a token in its text form, such as "7;b:uid-1,a:uid-2": the revision, and for
// each entry b for Before or a for After, and the UID. It returns false for any other text.
func ParseToken(text string) (Token, bool) {
	revision, list, ok := strings.Cut(text, ";")
	if !ok {
		return Token{}, false
	}
	n, err := strconv.ParseInt(revision, 10, 64)
	if err != nil {
		return Token{}, false
	}
	token := Token{Revision: n}
	for entry := range strings.SplitSeq(list, ",") {
		mode, uid, ok := strings.Cut(entry, ":")
		e := Entry{Mode: Before, UID: uid}
		if mode == "a" {
			e.Mode = After
		}
		if !ok || mode != "a" && mode != "b" || !recordable(uid) {
			return Token{}, false
		}
		token.Entries = append(token.Entries, e)
	}
	return token, true
}

// recordable reports whether a token can hold a UID: it is not empty and has no separators.
func recordable(uid string) bool { return uid != "" && !strings.ContainsAny(uid, ",;") }

// String returns the text form of the token.
func (t Token) String() string {
	entries := make([]string, len(t.Entries))
	for i, e := range t.Entries {
		entries[i] = "b:" + e.UID
		if e.Mode == After {
			entries[i] = "a:" + e.UID
		}
	}
	return strconv.FormatInt(t.Revision, 10) + ";" + strings.Join(entries, ",")
}
