import { existsSync, readFileSync, realpathSync } from 'node:fs'

/** What Linux tells of where this process runs; empty elsewhere. */
export type Surroundings = {
  /** A file that Docker or Podman leaves in each of its containers. */
  hasMarker: boolean
  /** `/proc/1/cgroup` */
  cgroups: string
  /** `/proc/self/mountinfo` */
  mounts: string
}

const MARKERS = ['/.dockerenv', '/run/.containerenv']
/** Kubernetes leaves no marker; the layers of an image lie in a folder of what runs it. */
const RUNTIMES = /docker|containerd|kubepods|libpod|crio|containers\/storage/
/** What lies over an image, or in memory. */
const PASSING = new Set(['overlay', 'aufs', 'fuse.fuse-overlayfs', 'tmpfs'])

/** Whether what is written in a folder, named without links, goes when the container does. */
export function goesWithContainer(
  folder: string,
  { hasMarker, cgroups, mounts }: Surroundings,
): boolean {
  const isContainer = hasMarker || RUNTIMES.test(cgroups) || RUNTIMES.test(mounts)
  return isContainer && PASSING.has(fileSystemOf(folder, mounts))
}

/** That of the innermost mount, and of those in one place of the last. */
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
  goesWithContainer(realpathSync(dataDir), {
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
