package total

import (
	"encoding/json"
	"reflect"
	"testing"
)

// RoundTrip fails the test if JSON loses anything of a T that has a value of its own in
// every field, or if Fill leaves a field zero that skip does not name. Skip is that of
// [Fill], and names what has no JSON, or none that reads back.
func RoundTrip[T any](t *testing.T, skip []string, specials ...Special) {
	t.Helper()
	var before, after T
	Fill(&before, 1, skip, specials...)
	text, err := json.Marshal(before)
	if err != nil {
		t.Errorf("%T: %v", before, err)
		return
	}
	if err := json.Unmarshal(text, &after); err != nil {
		t.Errorf("%T: %v\n%s", before, err, text)
		return
	}
	if !reflect.DeepEqual(before, after) {
		t.Errorf("JSON changes\n%+v to\n%+v\n%s", before, after, text)
	}
}
