import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'

/** What the instructions of the Containerfile and the script `tollgate` call. */
const PROGRAMS = ['sh', 'mkdir', 'ln', 'readlink', 'dirname']
/** Limits below those of the test run, as raising limits is a privilege. */
const RUN_OPTIONS = [
  '--cgroups=disabled',
  '--network=host',
  '--ulimit=nofile=1024:1024',
  '--ulimit=nproc=4096:4096',
]
/** Owns containers and images: they end with the test run, also if that is killed. */
const KEEPER = `
mount --make-rprivate / && { umount /sys/fs/cgroup/unified 2>/dev/null; true; } || exit 1
echo ready
cat >/dev/null
podman rm --force --all --time 0 >/dev/null 2>&1
rm -rf "$1"
`

/** Why this machine runs no containers; undefined if it does. */
export function containerObstacle() {
  if (spawnSync('podman', ['--version']).status !== 0) return 'podman is not installed'
  const { status, stderr } = spawnSync('unshare', ['--mount', 'true'], { encoding: 'utf8' })
  return status === 0 ? undefined : `this machine mounts nothing: ${stderr?.trim()}`
}

/**
 * Podman with images and containers in a folder of its own, and without what a test machine may
 * forbid: control groups, higher limits, a network of bridges.
 */
export async function startContainers(folder) {
  const at = (name) => path.join(folder, name)
  const lines = ['[storage]', 'driver = "overlay"', `graphroot = "${at('images')}"`]
  writeFileSync(at('storage.conf'), `${lines.join('\n')}\nrunroot = "${at('running')}"\n`)
  const settings = ['[engine]', 'cgroup_manager = "cgroupfs"', 'events_logger = "none"']
  writeFileSync(at('containers.conf'), `${settings.join('\n')}\ntmp_dir = "${at('tmp')}"\n`)
  const env = {
    CONTAINERS_STORAGE_CONF: at('storage.conf'),
    CONTAINERS_CONF: at('containers.conf'),
    // Nothing calls the health check but the test.
    DISABLE_HC_SYSTEMD: 'true',
  }
  const keeper = spawn('unshare', ['--mount', 'sh', '-c', KEEPER, 'sh', folder], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(keeper, 'exit')
  await Promise.race([once(keeper.stdout, 'data'), ended])
  const enter = [`--target=${keeper.pid}`, '--mount', `--wd=${folder}`, 'podman']
  const podman = (...args) =>
    spawnSync('nsenter', [...enter, ...args], {
      encoding: 'utf8',
      env: { ...process.env, ...env },
    })
  return {
    folder,
    env,
    podman,
    run: (...args) => podman('run', ...RUN_OPTIONS, ...args),
    /** Podman 4 reads no compressed file. */
    load: (file) =>
      spawnSync('nsenter', [...enter, 'load'], {
        encoding: 'utf8',
        env: { ...process.env, ...env },
        input: gunzipSync(readFileSync(file)),
      }),
    stop: async () => {
      keeper.stdin.end()
      await ended
    },
  }
}

/** An image of Node.js, a shell and their libraries, from the files of this machine. */
export function importBase({ folder, env }, name) {
  const root = path.join(folder, 'base')
  const programs = PROGRAMS.map((program) =>
    execFileSync('which', [program], { encoding: 'utf8' }).trim(),
  )
  const files = [process.execPath, ...programs]
  const libraries = files.flatMap((file) =>
    [...execFileSync('ldd', [file], { encoding: 'utf8' }).matchAll(/(?<=\s)\/\S+/g)].map(String),
  )
  const copy = (from, to) => cpSync(realpathSync(from), path.join(root, to), { recursive: true })
  for (const file of files) copy(file, `bin/${path.basename(file)}`)
  for (const library of new Set(libraries)) copy(library, library)
  for (const folder of ['tmp', 'usr/local/bin']) {
    mkdirSync(path.join(root, folder), { recursive: true })
  }
  const script = 'tar --create --owner=0 --group=0 --directory="$1" . | podman import - "$2"'
  execFileSync('sh', ['-c', script, 'sh', root, name], {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  })
}
