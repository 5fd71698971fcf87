// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"strconv"

	"github.com/kplan-go/kplan"
)

// Number is [Keys.Number] with the keys of Kubernetes.
func Number(annotations map[string]string) (int64, error) {
	var k Keys
	return k.number(annotations)
}

// Number returns the revision in the annotations of a ReplicaSet or Deployment, or 0 without the
// annotation. A text that is not a decimal int64, such as the empty text, is a [kplan.FieldError].
//
// It mirrors Revision of the deployment util package of Kubernetes.
func (k Keys) Number(annotations map[string]string) (int64, error) { return k.number(annotations) }

func (k *Keys) number(annotations map[string]string) (int64, error) {
	n, err := k.parse(annotations)
	if err != nil {
		key := k.revision()
		return 0, &kplan.FieldError{Path: kplan.ElementPath("Annotations", key), Value: annotations[key], Detail: "must be a decimal number", Err: err}
	}
	return n, nil
}

// revision returns the key of the revision.
func (k *Keys) revision() string {
	if k.Revision == "" {
		return AnnotationRevision
	}
	return k.Revision
}

// parse is [Keys.Number] with the error of package strconv.
func (k *Keys) parse(annotations map[string]string) (int64, error) {
	text, ok := annotations[k.revision()]
	if !ok {
		return 0, nil
	}
	return parse(text)
}

// parse reads a decimal int64. With an error it returns 0.
func parse(text string) (n int64, err error) {
	if n, ok := digits(text); ok { // the common case
		return n, nil
	}
	if n, err = strconv.ParseInt(text, 10, 64); err != nil {
		return 0, err
	}
	return n, nil
}

// digits reads a number of 1 to 18 decimal digits, which fits into an int64. For any other text ok
// is false.
func digits(text string) (n int64, ok bool) {
	for i := range len(text) {
		digit := text[i] - '0'
		if digit > 9 {
			return 0, false
		}
		n = 10*n + int64(digit)
	}
	return n, 0 < len(text) && len(text) <= 18
}

// Max returns the highest of the numbers, or 0 if that is negative or there are none. Leave out the
// ReplicaSets for which [Keys.Number] returns an error.
//
// It mirrors MaxRevision of the deployment util package of Kubernetes.
func Max(numbers []int64) int64 {
	highest := int64(0)
	for _, n := range numbers {
		highest = max(highest, n)
	}
	return highest
}

// Last returns the second highest of the numbers, or 0 if that is negative or missing. Equal
// numbers count separately. A rollback to revision 0 goes back to this revision.
//
//	Last([]int64{1, 2}) // 1
//	Last([]int64{5, 5}) // 5
//
// It mirrors LastRevision of the deployment util package of Kubernetes.
func Last(numbers []int64) int64 {
	highest, second := int64(0), int64(0)
	for _, n := range numbers {
		highest, second = max(highest, n), max(second, min(highest, n))
	}
	return second
}

// Next returns the number of a new revision: Max(old) + 1, where old are the numbers of the old
// revisions. Like upstream it wraps around after the largest int64.
func Next(old []int64) int64 { return Max(old) + 1 }
