// SPDX-License-Identifier: Apache-2.0

package union_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/union"
)

type shape interface{ area() int }

type square struct {
	Side int `json:"side"`
}

type dot struct{}

type stranger struct{}

func (s square) area() int { return s.Side * s.Side }
func (dot) area() int      { return 0 }
func (stranger) area() int { return 1 }

func shapes() []union.Member {
	return []union.Member{union.Of[square]("square"), union.Of[dot]("dot")}
}

func TestRoundTrip(t *testing.T) {
	list := []shape{square{3}, dot{}, square{}}
	data, err := union.Marshal(list, shapes())
	require.NoError(t, err)
	require.Equal(t, `[{"square":{"side":3}},{"dot":{}},{"square":{"side":0}}]`, string(data))
	back, err := union.Unmarshal[shape](data, shapes())
	require.NoError(t, err)
	require.Equal(t, list, back)
}

func TestEmpty(t *testing.T) {
	data, err := union.Marshal[shape](nil, shapes())
	require.NoError(t, err)
	require.Equal(t, `[]`, string(data))
	back, err := union.Unmarshal[shape](data, shapes())
	require.NoError(t, err)
	require.Nil(t, back)
}

func TestErrors(t *testing.T) {
	_, err := union.Marshal([]shape{stranger{}}, shapes())
	require.EqualError(t, err, "unknown member union_test.stranger")
	_, err = union.Marshal([]shape{nil}, shapes())
	require.EqualError(t, err, "unknown member <nil>")
	for text, want := range map[string]string{
		`{}`:                       "json: cannot unmarshal object into Go value of type []map[string]json.RawMessage",
		`[{}]`:                     "[0]: must have one key, has 0",
		`[{"dot":{},"square":{}}]`: "[0]: must have one key, has 2",
		`[{"dot":{}},{"star":{}}]`: `[1]: unknown member "star"`,
		`[{"square":{"edge":1}}]`:  `[0]: json: unknown field "edge"`,
	} {
		_, err := union.Unmarshal[shape]([]byte(text), shapes())
		require.EqualError(t, err, want, text)
	}
	_, err = union.Unmarshal[shape]([]byte(`[{"int":1}]`), []union.Member{union.Of[int]("int")})
	require.EqualError(t, err, "[0]: int is no member")
}
