import { existsSync, readFileSync, realpathSync } from 'node:fs'

/** What Linux reports about the environment of this process; empty on other systems. */
export type ContainerInfo = {
  /** Whether the file exists that Docker or Podman creates in each container. */
  hasMarker: boolean
  /** `/proc/1/cgroup` */
  cgroups: string
  /** `/proc/self/mountinfo` */
  mounts: string
}

const MARKERS = ['/.dockerenv', '/run/.containerenv']
/**
 * Kubernetes creates no marker file, but an image's layers are in a folder of its container
 * runtime.
 */
const RUNTIMES = /docker|containerd|kubepods|libpod|crio|containers\/storage/
/** File systems of a container's writable layer, and in memory. */
const EPHEMERAL_FILE_SYSTEMS = new Set(['overlay', 'aufs', 'fuse.fuse-overlayfs', 'tmpfs'])

/**
 * Whether files in the folder are lost with the container. `folder` must not contain symbolic
 * links.
 */
export function isOnContainerLayer(
  folder: string,
  { hasMarker, cgroups, mounts }: ContainerInfo,
): boolean {
  const isContainer = hasMarker || RUNTIMES.test(cgroups) || RUNTIMES.test(mounts)
  return isContainer && EPHEMERAL_FILE_SYSTEMS.has(fileSystemOf(folder, mounts))
}

/** File system of the innermost mount; the last mount wins if several have the same mount point. */
function fileSystemOf(folder: string, mounts: string): string {
  let innermost = { point: '', type: '' }
  for (const line of mounts.split('\n')) {
    const [mount = '', source = ''] = line.split(' - ')
    const point = mount.split(' ')[4]?.replace(/\\(\d{3})/g, (_, octal: string) => {
      return String.fromCharCode(Number.parseInt(octal, 8))
    })
    if (point === undefined || point.length < innermost.point.length) continue
    const isWithin = `${folder}/`.startsWith(point === '/' ? '/' : `${point}/`)
    if (isWithin) innermost = { point, type: source.split(' ')[0] ?? '' }
  }
  return innermost.type
}

export const isLostWithContainer = (dataDir: string): boolean =>
  isOnContainerLayer(realpathSync(dataDir), {
    hasMarker: MARKERS.some((marker) => existsSync(marker)),
    cgroups: readIfThere('/proc/1/cgroup'),
    mounts: readIfThere('/proc/self/mountinfo'),
  })

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
