//go:build linux

package lossyfs

import (
	"context"
	"path"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// Mount mounts the file system at dir, until the returned server is unmounted. It needs /dev/fuse and
// the right to mount.
func (l *FS) Mount(dir string) (*fuse.Server, error) {
	root := &node{fs: l, name: ".", file: l.names["."]}
	options := &fs.Options{MountOptions: fuse.MountOptions{
		FsName: "lossyfs", Name: "lossyfs", DirectMountStrict: true, DirectMountFlags: syscall.MS_NODEV | syscall.MS_NOSUID,
	}}
	options.OnAdd = func(ctx context.Context) { root.addAll(ctx) }
	return fs.Mount(dir, root, options)
}

// A node is a file or directory as the kernel sees it. Only files can be renamed.
type node struct {
	fs.Inode
	fs   *FS
	name string // path from the root
	file *file
}

var (
	_ fs.NodeGetattrer = (*node)(nil)
	_ fs.NodeSetattrer = (*node)(nil)
	_ fs.NodeOpener    = (*node)(nil)
	_ fs.NodeReader    = (*node)(nil)
	_ fs.NodeWriter    = (*node)(nil)
	_ fs.NodeFsyncer   = (*node)(nil)
	_ fs.NodeCreater   = (*node)(nil)
	_ fs.NodeMkdirer   = (*node)(nil)
	_ fs.NodeUnlinker  = (*node)(nil)
	_ fs.NodeRmdirer   = (*node)(nil)
	_ fs.NodeRenamer   = (*node)(nil)
	_ fs.NodeStatfser  = (*node)(nil)
)

// addAll adds everything below n to the kernel's tree.
func (n *node) addAll(ctx context.Context) {
	for name, f := range n.fs.names {
		if name != "." && path.Dir(name) == n.name {
			child := n.child(ctx, path.Base(name), f)
			n.AddChild(path.Base(name), child, true)
			child.Operations().(*node).addAll(ctx)
		}
	}
}

func (n *node) child(ctx context.Context, name string, f *file) *fs.Inode {
	mode := uint32(syscall.S_IFREG)
	if f.directory {
		mode = syscall.S_IFDIR
	}
	return n.NewPersistentInode(ctx, &node{fs: n.fs, name: path.Join(n.name, name), file: f}, fs.StableAttr{Mode: mode})
}

func (n *node) attributes(out *fuse.Attr) {
	n.fs.mu.Lock()
	defer n.fs.mu.Unlock()
	out.Mode = n.file.mode
	out.Size = uint64(len(n.file.live))
	out.Blocks = (out.Size + sector - 1) / sector
	out.Nlink = 1
	out.SetTimes(nil, &n.file.changed, &n.file.changed)
}

// Getattr returns size and times.
func (n *node) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	n.attributes(&out.Attr)
	return 0
}

// Setattr sets size and mode.
func (n *node) Setattr(_ context.Context, _ fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	if size, ok := in.GetSize(); ok && !n.fs.change(n.file, change{offset: int64(size), truncate: true}) {
		return syscall.EIO
	}
	if mode, ok := in.GetMode(); ok {
		n.fs.mu.Lock()
		n.file.mode = mode & 0o777
		n.fs.mu.Unlock()
	}
	n.attributes(&out.Attr)
	return 0
}

// Open has nothing to do.
func (n *node) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) { return nil, 0, 0 }

// Read returns the bytes that programs see.
func (n *node) Read(_ context.Context, _ fs.FileHandle, dest []byte, offset int64) (fuse.ReadResult, syscall.Errno) {
	n.fs.mu.Lock()
	defer n.fs.mu.Unlock()
	if offset >= int64(len(n.file.live)) {
		return fuse.ReadResultData(nil), 0
	}
	return fuse.ReadResultData(dest[:copy(dest, n.file.live[offset:])]), 0
}

// Write changes the bytes that programs see.
func (n *node) Write(_ context.Context, _ fs.FileHandle, data []byte, offset int64) (uint32, syscall.Errno) {
	if !n.fs.change(n.file, change{offset: offset, data: append([]byte{}, data...)}) {
		return 0, syscall.EIO
	}
	return uint32(len(data)), 0
}

// Fsync syncs a file or directory.
func (n *node) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	n.fs.mu.Lock()
	name := n.name
	n.fs.mu.Unlock()
	if !n.fs.sync(name, n.file) {
		return syscall.EIO
	}
	return 0
}

func (n *node) addFile(ctx context.Context, name string, f *file, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	child := n.child(ctx, name, f)
	if !n.fs.rename(naming{to: path.Join(n.name, name), f: f}) {
		return nil, syscall.EIO
	}
	child.Operations().(*node).attributes(&out.Attr)
	return child, 0
}

// Create makes a file.
func (n *node) Create(ctx context.Context, name string, _, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	child, errno := n.addFile(ctx, name, &file{mode: mode & 0o777}, out)
	return child, nil, 0, errno
}

// Mkdir makes a directory.
func (n *node) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return n.addFile(ctx, name, &file{directory: true, mode: mode & 0o777}, out)
}

// Unlink removes a name.
func (n *node) Unlink(_ context.Context, name string) syscall.Errno {
	if !n.fs.rename(naming{from: path.Join(n.name, name)}) {
		return syscall.EIO
	}
	return 0
}

// Rmdir removes the name of a directory, which the kernel knows to be empty.
func (n *node) Rmdir(ctx context.Context, name string) syscall.Errno {
	if child := n.GetChild(name); child != nil && len(child.Children()) > 0 {
		return syscall.ENOTEMPTY
	}
	return n.Unlink(ctx, name)
}

// Rename moves a file.
func (n *node) Rename(_ context.Context, name string, to fs.InodeEmbedder, newName string, flags uint32) syscall.Errno {
	moved := n.GetChild(name).Operations().(*node)
	if moved.file.directory || flags != 0 {
		return syscall.ENOTSUP
	}
	target := path.Join(to.(*node).name, newName)
	if !n.fs.rename(naming{from: moved.name, to: target, f: moved.file}) {
		return syscall.EIO
	}
	n.fs.mu.Lock()
	defer n.fs.mu.Unlock()
	moved.name = target
	return 0
}

// Statfs reports free space.
func (n *node) Statfs(_ context.Context, out *fuse.StatfsOut) syscall.Errno {
	*out = fuse.StatfsOut{Bsize: 4096, Frsize: 4096, Blocks: 1 << 24, Bfree: 1 << 24, Bavail: 1 << 24, NameLen: 255}
	return 0
}
