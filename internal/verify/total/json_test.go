// SPDX-License-Identifier: Apache-2.0

package total

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type part struct {
	Text string
	At   time.Time
	Call func()         `json:"-"`
	Map  map[string]int `json:"map"`
}

type whole struct {
	Part *part
	List []part
}

type forgotten struct {
	Part   part
	Number int8 `json:"-"`
}

type vague struct{ Any []any }

type shut struct{ inside int }

type mixed struct {
	Number int
	inside int
}

type bold struct{ C complex64 }

// omitted has two fields of one name, of which JSON keeps neither. It is built
// as it runs, since go vet refuses it in writing.
var omitted = reflect.StructOf([]reflect.StructField{
	{Name: "Number", Type: reflect.TypeFor[*int](), Tag: `json:"number,omitzero"`},
	{Name: "Same", Type: reflect.TypeFor[*int](), Tag: `json:"number,omitzero"`},
})

// Every loss of JSON is found, and nothing else.
func TestJSONLoses(t *testing.T) {
	for _, c := range []struct {
		why  string
		of   reflect.Type
		none []string
		want string
	}{
		{"all is kept, functions aside", reflect.TypeFor[whole](), nil, ""},
		{"nothing is to be seen", reflect.TypeFor[shut](), nil, ""},
		{"an interface that nothing implements", reflect.TypeFor[vague](), nil, "total.vague: Any[0] cannot be filled"},
		{"which is left out", reflect.TypeFor[vague](), []string{"vague.Any"}, ""},
		{"a field without a name in JSON", reflect.TypeFor[forgotten](), nil, "JSON changes"},
		{"and no member", reflect.TypeFor[forgotten](), nil, "not an object of 2 members"},
		{"which is left out as a type", reflect.TypeFor[forgotten](), []string{"forgotten"}, ""},
		{"a field that has no part in JSON", reflect.TypeFor[mixed](), nil, "not an object of 2 members"},
		{"what JSON cannot hold", reflect.TypeFor[bold](), nil, "unsupported type: complex64"},
		{"two fields of one name", omitted, nil, "JSON changes"},
		{"a field that is not there", reflect.TypeFor[whole](), []string{"whole.Gone"}, "whole.Gone is to have no JSON, but is not there"},
		{"a type that is not there", reflect.TypeFor[whole](), []string{"gone"}, "gone is to have no JSON, but is not there"},
	} {
		got := Package{Types: []reflect.Type{c.of}, NoJSON: c.none}.lost()
		if c.want == "" {
			require.Empty(t, got, c.why)
			continue
		}
		require.Contains(t, join(got), c.want, c.why)
	}
	require.Equal(t, 0, shut{}.inside+mixed{}.inside)
}

func join(lines []string) (text string) {
	for _, line := range lines {
		text += line + "\n"
	}
	return text
}
