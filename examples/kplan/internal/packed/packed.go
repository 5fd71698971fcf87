// SPDX-License-Identifier: Apache-2.0

// Package packed holds many texts that mostly resemble earlier ones: manifests, objects of a
// cluster, and the output of a command for each of them.
package packed

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
)

// window is the distance over which a packed text may refer to its base.
const window = 32 << 10

// A Text is a packed text. The zero value is the empty text.
type Text struct {
	base []byte // the text itself, or the base of data
	data []byte // nil if base is the text
}

// A Packer packs texts of several kinds. It keeps the first text of a kind unpacked, as the base
// for the texts after it. A text with too little in common with the base is kept unpacked as
// well, and is the new base. The zero value is ready.
type Packer struct {
	bases map[string][]byte // by kind
	out   bytes.Buffer
	w     *flate.Writer // takes a megabyte
	r     io.ReadCloser
}

// Pack returns a text in packed form. It does not retain the slice.
func (p *Packer) Pack(kind string, text []byte) Text {
	if len(text) == 0 {
		return Text{}
	}
	if base := p.bases[kind]; base != nil {
		if data, err := p.deflate(base, text); err == nil && len(data) < len(text)/2 {
			return Text{base, bytes.Clone(data)}
		}
	}
	if p.bases == nil {
		p.bases = map[string][]byte{}
	}
	p.bases[kind] = bytes.Clone(text)
	return Text{base: p.bases[kind]}
}

// deflate compresses a text that follows the base in the same stream.
func (p *Packer) deflate(base, text []byte) ([]byte, error) {
	if p.w == nil {
		p.w, _ = flate.NewWriter(nil, flate.BestSpeed) // no error: a valid level
	}
	p.out.Reset()
	p.w.Reset(&p.out)
	if _, err := p.w.Write(tail(base)); err != nil {
		return nil, err
	}
	if err := p.w.Flush(); err != nil {
		return nil, err
	}
	before := p.out.Len()
	if _, err := p.w.Write(text); err != nil {
		return nil, err
	}
	err := p.w.Close()
	return p.out.Bytes()[before:], err
}

// Unpack returns the text, which the caller must not modify.
func (p *Packer) Unpack(t Text) ([]byte, error) {
	if t.data == nil {
		return t.base, nil
	}
	in := bytes.NewReader(t.data)
	if p.r == nil {
		p.r = flate.NewReaderDict(in, tail(t.base))
	} else if err := p.r.(flate.Resetter).Reset(in, tail(t.base)); err != nil {
		return nil, fmt.Errorf("packed text: %w", err)
	}
	return io.ReadAll(p.r)
}

// tail returns the end of a text, which packed texts may refer to.
func tail(text []byte) []byte { return text[max(0, len(text)-window):] }
