// SPDX-License-Identifier: Apache-2.0

package packed

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPacker: texts come back as they were, in any order, and those that are alike take a
// fraction of their length.
func TestPacker(t *testing.T) {
	var p Packer
	var texts []string
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 3*window)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	for i := range 50 {
		texts = append(texts, fmt.Sprintf("%d %s %d", i, strings.Repeat("name: app\nimage: app:1\n", 40), i*i))
		texts = append(texts, string(noise[:i*i*40]), "", string(noise[i:]), fmt.Sprint(i))
	}
	var held []Text
	for _, text := range texts {
		b := []byte(text)
		held = append(held, p.Pack(fmt.Sprint(len(held)%5/3), b))
		clear(b) // no part of it is kept
	}
	for _, i := range random.Perm(len(texts)) {
		text, err := p.Unpack(held[i])
		require.NoError(t, err)
		require.Equal(t, texts[i], string(text), i)
	}
	var alike Packer
	first, second := alike.Pack("", []byte(texts[5])), alike.Pack("", []byte(texts[10]))
	require.Nil(t, first.data, "it is like nothing before")
	require.NotEmpty(t, second.data)
	require.Less(t, len(second.data), 100)
	alike.Pack("", noise)
	text, err := alike.Unpack(second)
	require.NoError(t, err)
	require.Equal(t, texts[10], string(text), "whatever else was packed meanwhile")
}

// TestZero: nothing is packed in the zero Text.
func TestZero(t *testing.T) {
	text, err := new(Packer).Unpack(Text{})
	require.NoError(t, err)
	require.Empty(t, text)
}

func BenchmarkPack(b *testing.B) {
	for _, size := range []int{500, 5_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			var p Packer
			text := []byte(strings.Repeat("x: abcdefghijklmnop\n", size/20))
			b.ReportAllocs()
			for i := range b.N {
				text[i%len(text)]++
				if _, err := p.Unpack(p.Pack("", text)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
