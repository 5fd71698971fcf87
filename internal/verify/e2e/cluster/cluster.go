// SPDX-License-Identifier: Apache-2.0

// Package cluster runs a Kubernetes API server and etcd on the loopback interface, with the
// components that roll a Deployment: a simulated scheduler and kubelets, the garbage collector, and
// on request the workload controllers of Kubernetes. Everything comes from Go modules.
//
// etcd runs in this process. The API server runs in a second process of the same program, so that
// it can be killed; see [Main].
package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// A User is the identity of a client of the API server. The name is its token too.
type User struct{ Name, Groups string }

// The users. Admin may do everything; Controller has only the permissions that bindings give to the
// service account of the example's manifests.
var (
	Admin      = User{"admin", "system:masters"}
	Controller = User{"system:serviceaccount:kplan-system:kplan-controller", "system:serviceaccounts,system:serviceaccounts:kplan-system"}
)

// A Cluster is a running API server.
type Cluster struct {
	Dir   string // certificates, logs and the data of etcd
	etcd  *embed.Etcd
	store *Proxy // between API server and etcd
	front *Proxy // between clients and API server
	port  int

	mu     sync.Mutex
	server *exec.Cmd
	stdin  io.Closer
	log    *os.File
}

// Start starts etcd and the API server, which write all their files in dir, and waits until the
// server is ready.
func Start(ctx context.Context, dir string) (*Cluster, error) {
	c := &Cluster{Dir: dir}
	if err := c.start(ctx); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context) (err error) {
	if c.etcd, err = startEtcd(filepath.Join(c.Dir, "etcd")); err != nil {
		return err
	}
	if c.store, err = NewProxy(c.etcdAddress()); err != nil {
		return err
	}
	if c.port, err = freePort(); err != nil {
		return err
	}
	if c.front, err = NewProxy(c.serverAddress()); err != nil {
		return err
	}
	if err := c.writeCredentials(); err != nil {
		return err
	}
	return c.StartServer(ctx)
}

func (c *Cluster) etcdAddress() string   { return c.etcd.Clients[0].Addr().String() }
func (c *Cluster) serverAddress() string { return fmt.Sprintf("127.0.0.1:%d", c.port) }

// SlowEtcd delays each answer of etcd to the API server by d.
func (c *Cluster) SlowEtcd(d time.Duration) { c.store.SetDelay(d) }

// Stop stops the API server, etcd and the proxies.
func (c *Cluster) Stop() {
	c.StopServer()
	for _, p := range []*Proxy{c.front, c.store} {
		if p != nil {
			p.Close()
		}
	}
	if c.etcd != nil {
		c.etcd.Close()
	}
}

// StopServer kills the API server without warning. etcd keeps its data.
func (c *Cluster) StopServer() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.server == nil {
		return
	}
	_ = c.server.Process.Kill()
	_ = c.server.Wait()
	_, _ = c.stdin.Close(), c.log.Close()
	c.server = nil
	c.front.Cut()
}

// StartServer starts the API server, at the same address as before, and waits until it
// is ready.
func (c *Cluster) StartServer(ctx context.Context) error {
	if err := c.exec(); err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(c.Config(Admin))
	if err != nil {
		return err
	}
	for ctx, cancel := context.WithTimeout(ctx, 2*time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if _, err = client.CoreV1().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx); err == nil {
			_, err = client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceDefault, metav1.GetOptions{})
		}
		if err == nil || ctx.Err() != nil {
			cancel()
			return err
		}
	}
}

func (c *Cluster) exec() (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.server != nil {
		return errors.New("the API server runs already")
	}
	if c.server, c.stdin, err = Command(roleServer, c.flags()...); err != nil {
		return err
	}
	if c.log, err = os.OpenFile(filepath.Join(c.Dir, "apiserver.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
		return err
	}
	c.server.Stdout, c.server.Stderr = c.log, c.log
	if err := c.server.Start(); err != nil {
		c.server = nil
		return err
	}
	return nil
}

func (c *Cluster) flags() []string {
	key := filepath.Join(c.Dir, "sa.key")
	return []string{
		"--etcd-servers=http://" + c.store.Address(),
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--endpoint-reconciler-type=none",
		fmt.Sprintf("--secure-port=%d", c.port),
		"--cert-dir=" + c.Dir,
		"--service-cluster-ip-range=10.0.0.0/16",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + key,
		"--service-account-signing-key-file=" + key,
		"--token-auth-file=" + filepath.Join(c.Dir, "tokens.csv"),
		"--authorization-mode=RBAC",
		// No controller here creates default service accounts, or removes the taint.
		"--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
	}
}

func (c *Cluster) writeCredentials() error {
	key, err := keyutil.MakeEllipticPrivateKeyPEM()
	if err != nil {
		return err
	}
	if err := keyutil.WriteKey(filepath.Join(c.Dir, "sa.key"), key); err != nil {
		return err
	}
	if err := c.writeCertificate(); err != nil {
		return err
	}
	var tokens strings.Builder
	for _, u := range []User{Admin, Controller} {
		fmt.Fprintf(&tokens, "%s,%s,%s,%q\n", u.Name, u.Name, u.Name, u.Groups)
	}
	return os.WriteFile(filepath.Join(c.Dir, "tokens.csv"), []byte(tokens.String()), 0o600)
}

// writeCertificate writes a certificate of the server to the file where it looks for one, so that
// clients know it before the server starts.
func (c *Cluster) writeCertificate() error {
	crt, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv4(127, 0, 0, 1)}, []string{"localhost"})
	if err != nil {
		return err
	}
	if err := cert.WriteCert(c.certificate(), crt); err != nil {
		return err
	}
	return keyutil.WriteKey(filepath.Join(c.Dir, "apiserver.key"), key)
}

func (c *Cluster) certificate() string { return filepath.Join(c.Dir, "apiserver.crt") }

// Config returns the client configuration of a user. It does not limit requests.
func (c *Cluster) Config(u User) *rest.Config {
	return &rest.Config{
		Host:            "https://" + c.front.Address(),
		BearerToken:     u.Name,
		TLSClientConfig: rest.TLSClientConfig{CAFile: c.certificate()},
		QPS:             -1,
	}
}

// Through returns a configuration whose connections pass through a new proxy.
func (c *Cluster) Through(cfg *rest.Config) (*rest.Config, *Proxy, error) {
	p, err := NewProxy(c.serverAddress())
	if err != nil {
		return nil, nil, err
	}
	own := rest.CopyConfig(cfg)
	own.Host = "https://" + p.Address()
	return own, p, nil
}

// WriteKubeconfig writes a kubeconfig file for a configuration, with a default namespace.
func WriteKubeconfig(file string, cfg *rest.Config, namespace string) error {
	ca, err := os.ReadFile(cfg.CAFile)
	if err != nil {
		return err
	}
	k := clientcmdapi.NewConfig()
	k.Clusters["e2e"] = &clientcmdapi.Cluster{Server: cfg.Host, CertificateAuthorityData: ca}
	k.AuthInfos["e2e"] = &clientcmdapi.AuthInfo{Token: cfg.BearerToken}
	k.Contexts["e2e"] = &clientcmdapi.Context{Cluster: "e2e", AuthInfo: "e2e", Namespace: namespace}
	k.CurrentContext = "e2e"
	return clientcmd.WriteToFile(*k, file)
}

// freePort returns a free port that Linux does not assign to outgoing connections: the API server
// uses it later, and again after a restart.
func freePort() (port int, err error) {
	for range 100 {
		var l net.Listener
		port = 20_000 + rand.IntN(12_000)
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return port, l.Close()
		}
	}
	return 0, err
}
