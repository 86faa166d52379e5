import { expect, test } from 'vitest'
import { isOnContainerLayer } from './data-volume.ts'

const DOCKER = `692 590 0:92 / / rw,relatime master:301 - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/A
693 692 0:95 / /proc rw,nosuid - proc proc rw
700 692 8:1 /var/lib/docker/volumes/data/_data /data rw,relatime - ext4 /dev/sda1 rw
701 692 8:1 /srv/my\\040data /mnt/my\\040data rw,relatime master:1 - ext4 /dev/sda1 rw
702 692 0:99 / /tmp rw - tmpfs tmpfs rw
703 692 0:98 / /again rw - tmpfs tmpfs rw
704 692 8:1 / /again rw - ext4 /dev/sda1 rw
`
const KUBERNETES = `900 800 0:300 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/containerd/io/1/fs
901 900 8:1 /var/lib/kubelet/pods/1/etc-hosts /etc/hosts rw - ext4 /dev/sda1 rw
`
const MACHINE = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
33 22 0:30 / /tmp rw - tmpfs tmpfs rw
90 22 0:92 / /var/lib/docker/overlay2/1/merged rw - overlay overlay rw,lowerdir=/var/lib/docker/l/A
`
const LIVE_SYSTEM = '22 1 0:25 / / rw,relatime - overlay overlay rw,lowerdir=/run/image\n'

const marked = { hasMarker: true, cgroups: '0::/\n' }
const unmarked = { hasMarker: false, cgroups: '0::/\n' }

test.each([
  ['the container itself', '/app/data', { ...marked, mounts: DOCKER }],
  ['a folder whose name begins like that of a volume', '/data2', { ...marked, mounts: DOCKER }],
  ['memory', '/tmp/data', { ...marked, mounts: DOCKER }],
  ['a pod', '/app/data', { ...unmarked, mounts: KUBERNETES }],
  [
    'a container known by its cgroup only',
    '/app/data',
    { hasMarker: false, cgroups: '5:memory:/docker/4f1c\n', mounts: LIVE_SYSTEM },
  ],
])('a file in %s is lost with the container', (_where, folder, surroundings) => {
  expect(isOnContainerLayer(folder, surroundings)).toBe(true)
})

test.each([
  ['a volume', '/data', { ...marked, mounts: DOCKER }],
  ['a folder of a volume', '/data/tollgate', { ...marked, mounts: DOCKER }],
  ['a volume with a space in its name', '/mnt/my data/x', { ...marked, mounts: DOCKER }],
  ['what was mounted over memory', '/again/x', { ...marked, mounts: DOCKER }],
  ['a machine that runs containers', '/srv/data', { ...unmarked, mounts: MACHINE }],
  ['a container with a disk of its own', '/app/data', { ...marked, mounts: MACHINE }],
  ['a system that runs from an image', '/app/data', { ...unmarked, mounts: LIVE_SYSTEM }],
  ['a system without information', '/app/data', { hasMarker: false, cgroups: '', mounts: '' }],
])('a file in %s survives the container', (_where, folder, surroundings) => {
  expect(isOnContainerLayer(folder, surroundings)).toBe(false)
})
