package podorder

import (
	"strconv"
	"strings"
)

// AnnotationPausePoint is the pod annotation that makes a rolling update pause when
// it comes to the pod. Its values are those of a [PauseMode]; "true" and "" mean
// before, "off" means false.
const AnnotationPausePoint = "controller.alpha.kubernetes.io/pause-point"

// AnnotationPausePointsHit is the Deployment annotation that remembers at which pods
// the rollout has paused; see [PauseToken].
const AnnotationPausePointsHit = "controller.alpha.kubernetes.io/pause-points-hit"

// A PauseMode is where a rollout pauses.
type PauseMode string

// The modes of a pause point.
const (
	PauseNever  PauseMode = "false"
	PauseBefore PauseMode = "before" // the pod is deleted after the resume
	PauseAfter  PauseMode = "after"  // the pod is deleted while the rollout is paused
)

// ParsePausePoint returns the mode that the annotations of a pod carry. Valid is
// false for a value that nobody knows, which counts as before: an unreadable stop
// sign is a stop sign.
func ParsePausePoint(annotations map[string]string) (mode PauseMode, valid bool) {
	text, ok := annotations[AnnotationPausePoint]
	if !ok {
		return PauseNever, true
	}
	switch text {
	case "false", "off":
		return PauseNever, true
	case "before", "true", "":
		return PauseBefore, true
	case "after":
		return PauseAfter, true
	}
	return PauseBefore, false
}

// A PauseToken is the value of [AnnotationPausePointsHit]: the pods at which the
// rollout to a revision has paused, the most recent one last. While the Deployment is
// paused the last entry is where it waits; resuming acknowledges it. The revision
// makes a later rollout pause again at the same pods.
type PauseToken struct {
	Revision int64 // of the new ReplicaSet
	Entries  []PauseEntry
}

// A PauseEntry is a pod at which a rollout has paused.
type PauseEntry struct {
	Mode PauseMode // PauseBefore or PauseAfter
	UID  string
}

// ParsePauseToken reads a token in its text form, such as "7;b:uid-1,a:uid-2". It is
// false if the text is anything else.
func ParsePauseToken(text string) (PauseToken, bool) {
	revision, list, ok := strings.Cut(text, ";")
	if !ok {
		return PauseToken{}, false
	}
	n, err := strconv.ParseInt(revision, 10, 64)
	if err != nil {
		return PauseToken{}, false
	}
	token := PauseToken{Revision: n}
	for entry := range strings.SplitSeq(list, ",") {
		mode, uid, ok := strings.Cut(entry, ":")
		e := PauseEntry{Mode: PauseBefore, UID: uid}
		if mode == "a" {
			e.Mode = PauseAfter
		}
		if !ok || mode != "a" && mode != "b" || !recordable(uid) {
			return PauseToken{}, false
		}
		token.Entries = append(token.Entries, e)
	}
	return token, true
}

// recordable reports whether a UID can be an entry of a token.
func recordable(uid string) bool { return uid != "" && !strings.ContainsAny(uid, ",;") }

// String returns the text form of the token.
func (t PauseToken) String() string {
	entries := make([]string, len(t.Entries))
	for i, e := range t.Entries {
		entries[i] = "b:" + e.UID
		if e.Mode == PauseAfter {
			entries[i] = "a:" + e.UID
		}
	}
	return strconv.FormatInt(t.Revision, 10) + ";" + strings.Join(entries, ",")
}
