// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"io"
	"net"
	"sync"
	"time"
)

// A Proxy forwards TCP connections to an address, and simulates network failures.
type Proxy struct {
	listener net.Listener
	target   string

	mu    sync.Mutex
	down  bool
	delay time.Duration
	open  map[net.Conn]bool
}

// NewProxy starts a proxy on a free port of the loopback interface.
func NewProxy(target string) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: listener, target: target, open: map[net.Conn]bool{}}
	go p.serve()
	return p, nil
}

// Address returns the address of the proxy.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Cut breaks all connections. New ones are accepted.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.open {
		_ = conn.Close()
	}
}

// SetDown breaks all connections and refuses new ones, or lets them through again.
func (p *Proxy) SetDown(down bool) {
	p.mu.Lock()
	p.down = down
	p.mu.Unlock()
	if down {
		p.Cut()
	}
}

// SetDelay delays all data from the target by d.
func (p *Proxy) SetDelay(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
}

// Close stops the proxy.
func (p *Proxy) Close() {
	_ = p.listener.Close()
	p.SetDown(true)
}

func (p *Proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.pass(client)
	}
}

func (p *Proxy) pass(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer server.Close()
	if !p.track(client, server) {
		return
	}
	defer p.forget(client, server)
	go func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	}()
	_, _ = io.Copy(client, &slowReader{server, p})
}

func (p *Proxy) track(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		return false
	}
	for _, conn := range conns {
		p.open[conn] = true
	}
	return true
}

func (p *Proxy) forget(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range conns {
		delete(p.open, conn)
	}
}

// A slowReader delays reads as its proxy says.
type slowReader struct {
	from  io.Reader
	proxy *Proxy
}

func (r *slowReader) Read(b []byte) (int, error) {
	n, err := r.from.Read(b)
	r.proxy.mu.Lock()
	delay := r.proxy.delay
	r.proxy.mu.Unlock()
	if delay > 0 {
		time.Sleep(delay)
	}
	return n, err
}
