// SPDX-License-Identifier: Apache-2.0

package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// extensions are the file name extensions that are read in folders.
var extensions = []string{".json", ".yaml", ".yml"}

// pipeTimeout is the longest time without bytes from a pipe. It is longer than the response times
// of clusters.
var pipeTimeout = 2 * time.Minute

// waitingDelay is the time without bytes from a pipe after which waiting is called.
var waitingDelay = 3 * time.Second

// A nothing error means that a name matches no file.
type nothing struct{ text string }

func (n *nothing) Error() string { return n.text }

// list returns the files for a name: the file itself, the files of a folder, or the files that
// match a pattern.
func list(name string, recursive bool) ([]string, error) {
	matches := []string{name}
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		if matches, err = filepath.Glob(name); err != nil || len(matches) == 0 {
			return nil, &Error{File: name, Err: &nothing{"the path does not exist"}}
		}
	}
	var paths []string
	for _, match := range matches {
		err := filepath.WalkDir(match, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && path != match && !recursive:
				return filepath.SkipDir
			case !entry.IsDir() && (path == match || slices.Contains(extensions, filepath.Ext(path))):
				paths = append(paths, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(paths) == 0 {
		return nil, &Error{File: name, Err: &nothing{"holds no file that ends in " + strings.Join(extensions, ", ")}}
	}
	return paths, nil
}

// open opens a file. Opening a pipe does not wait for a writer, and reading it ends after a long
// silence. It calls waiting, if not nil, if no data comes for a waitingDelay.
func open(path string, waiting func(file string)) (io.ReadCloser, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() { // a link to a folder within a folder
		return io.NopCloser(strings.NewReader("")), nil
	}
	if info.Mode()&fs.ModeNamedPipe == 0 {
		return os.Open(path)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	return &pipe{File: f, waiting: waiting}, err
}

// A pipe is a named pipe with a writer that may be silent or not open yet.
type pipe struct {
	*os.File
	waiting func(file string) // nil after it was called
	begun   bool
}

// Read waits for the first bytes, even before a writer opens the pipe.
func (p *pipe) Read(b []byte) (int, error) {
	const pause = 20 * time.Millisecond
	for begin := time.Now(); ; {
		until := pipeTimeout
		if p.waiting != nil && !p.begun {
			until = min(pipeTimeout, waitingDelay)
		}
		_ = p.SetReadDeadline(time.Now().Add(until)) // without an effect on some systems, where Read blocks
		n, err := p.File.Read(b)
		p.begun = p.begun || n > 0
		waited := time.Since(begin)
		if p.waiting != nil && !p.begun && waited >= waitingDelay {
			p.waiting(p.Name())
			p.waiting = nil
		}
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded) && waited < pipeTimeout:
		case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, io.EOF) && !p.begun && waited >= pipeTimeout:
			return n, fmt.Errorf("nothing came through this pipe for %v", pipeTimeout)
		case errors.Is(err, io.EOF) && !p.begun:
			time.Sleep(pause)
		default:
			return n, err
		}
	}
}

// plainText returns a text as UTF-8. Reading it returns an error if it is too long, has a NUL
// byte or is not UTF-8.
func plainText(r io.Reader) io.Reader {
	text := transform.Chain(unicode.BOMOverride(transform.Nop), encoding.UTF8Validator)
	return &limited{Reader: transform.NewReader(r, text), left: maxFile, line: 1}
}

// A limited reader returns an error after left bytes, and at a NUL byte.
type limited struct {
	io.Reader
	left, line int
}

func (l *limited) Read(b []byte) (int, error) {
	n, err := l.Reader.Read(b)
	if l.left -= n; l.left < 0 {
		return 0, fmt.Errorf("is longer than %d MB", maxFile>>20)
	}
	if slices.Contains(b[:n], 0) {
		return 0, errors.New("is no text: it has a NUL byte")
	}
	if l.line += bytes.Count(b[:n], []byte("\n")); errors.Is(err, encoding.ErrInvalidUTF8) {
		err = fmt.Errorf("line %d: has bytes that are no UTF-8", l.line)
	}
	return n, err
}

// Limits of the input. The API server accepts objects of at most 3 MB, which are somewhat longer
// in YAML.
const (
	maxFile   = 1 << 30
	maxObject = 8 << 20
)
