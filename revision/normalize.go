// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"bytes"
	"encoding/json"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/revision/quirk"
)

// Normalize returns the normal form of JSON data: members of objects are sorted, null
// members are left out, and there is no white space. Numbers keep their digits, and an
// empty list differs from a missing one. Data that is not JSON is a [kplan.FieldError].
//
//	{"spec":{"b":1, "a":null}} // {"spec":{"b":1}}
//
// Serializers of different releases write the same template in different forms, and
// upstream takes each for a new revision (kubernetes/kubernetes#134773).
func Normalize(data []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	var b bytes.Buffer
	err := decoder.Decode(&value)
	if err == nil && !json.Valid(data) { // something follows
		err = kplan.ErrInvalid
	}
	if err == nil {
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		err = encoder.Encode(withoutNull(value))
	}
	if err != nil {
		return nil, &kplan.FieldError{Path: "Data", Value: string(data), Detail: "must be JSON", Err: err}
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// withoutNull removes the members of objects that are null, at any depth.
func withoutNull(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			if member == nil {
				delete(v, key)
				continue
			}
			v[key] = withoutNull(member)
		}
	case []any:
		for i := range v {
			v[i] = withoutNull(v[i])
		}
	}
	return value
}

// comparedData returns the data to compare and hash: in its normal form, with
// quirk.SerialisationIsVersion in Options.Repair and if it has one, and otherwise unchanged.
func comparedData(data []byte, opts Options) []byte {
	if opts.Repair.Has(quirk.SerialisationIsVersion) {
		if normal, err := Normalize(data); err == nil {
			return normal
		}
	}
	return data
}

// SameData reports whether the data of two revisions is equal: byte by byte, or in the normal
// form if quirk.SerialisationIsVersion is repaired.
func SameData(a, b []byte, opts Options) bool {
	return bytes.Equal(a, b) || (opts.Repair.Has(quirk.SerialisationIsVersion) && bytes.Equal(comparedData(a, opts), comparedData(b, opts)))
}
