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

// Number returns the revision in the annotations of a ReplicaSet or Deployment. A
// missing annotation is revision 0; anything but a decimal int64, the empty string
// included, is a [kplan.FieldError].
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

// revision returns the key of the revision. It does not read the other keys.
func (k *Keys) revision() string {
	if k.Revision == "" {
		return AnnotationRevision
	}
	return k.Revision
}

// parse is [Keys.Number] without the wrapping of the error.
func (k *Keys) parse(annotations map[string]string) (int64, error) {
	text, ok := annotations[k.revision()]
	if !ok {
		return 0, nil
	}
	return parse(text)
}

// parse reads a decimal int64, and returns 0 with an error.
func parse(text string) (n int64, err error) {
	if n, ok := digits(text); ok { // the common case
		return n, nil
	}
	if n, err = strconv.ParseInt(text, 10, 64); err != nil {
		return 0, err
	}
	return n, nil
}

// digits reads a number of 1 to 18 digits, which an int64 holds, and nothing else.
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

// Max returns the highest of the numbers, but no less than 0. It mirrors MaxRevision of
// the deployment util package of Kubernetes. Leave out ReplicaSets for which
// [Keys.Number] fails.
func Max(numbers []int64) int64 {
	highest := int64(0)
	for _, n := range numbers {
		highest = max(highest, n)
	}
	return highest
}

// Last returns the second highest of the numbers, but no less than 0; equal numbers count
// separately. It is the target of a rollback to revision 0. It mirrors LastRevision of the
// deployment util package of Kubernetes.
//
//	Last([]int64{1, 2}) // 1
//	Last([]int64{5, 5}) // 5
func Last(numbers []int64) int64 {
	highest, second := int64(0), int64(0)
	for _, n := range numbers {
		highest, second = max(highest, n), max(second, min(highest, n))
	}
	return second
}

// Next returns the number of a new revision: one more than the highest of the old numbers.
// At the end of the int64 range it wraps around, as upstream does.
func Next(old []int64) int64 { return Max(old) + 1 }
