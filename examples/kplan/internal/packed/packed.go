// SPDX-License-Identifier: Apache-2.0

// Package packed holds many texts of which most are like one before: manifests, the objects
// of a cluster, and what a command has to say about each of them.
package packed

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
)

// window is how far back a packed text may refer.
const window = 32 << 10

// A Text is one that is packed. The zero value is the empty text.
type Text struct {
	base []byte // the text itself, or the one that it is packed against
	data []byte // nil if base is the text
}

// A Packer packs texts of some kinds. The first one of a kind stays as it is, and is the base against
// which those behind it are packed. One that is too unlike stays as it is too, and is the base from
// then on. The zero value is ready.
type Packer struct {
	bases map[string][]byte // by kind
	out   bytes.Buffer
	w     *flate.Writer // which takes a megabyte
	r     io.ReadCloser
}

// Pack returns a text in the form in which it is held. It keeps no part of it.
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

// deflate returns a text as it follows the base in one stream.
func (p *Packer) deflate(base, text []byte) ([]byte, error) {
	if p.w == nil {
		p.w, _ = flate.NewWriter(nil, flate.BestSpeed) // which is a level
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

// Unpack returns the text, which must not be written to.
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

// tail is what of a text others may refer to.
func tail(text []byte) []byte { return text[max(0, len(text)-window):] }
