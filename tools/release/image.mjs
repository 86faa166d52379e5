import { spawnSync } from 'node:child_process'
import { ROOT } from '../launcher/install.mjs'
import { ReleaseError } from './prepare.mjs'

const isThere = (program) => spawnSync(program, ['--version']).status === 0

/** A program that builds images without a daemon; undefined if this machine has none. */
export const findBuilder = () => ['buildah', 'podman'].find(isThere)

/** Builds the image from the working tree and writes it as an OCI archive. */
export function buildImage(builder, file, { version, seconds, base }) {
  const name = `localhost/tollgate:${version}`
  const options = [
    `--timestamp=${seconds}`,
    '--format=oci',
    '--isolation=chroot',
    '--file=deploy/Containerfile',
    `--tag=${name}`,
    `--label=org.opencontainers.image.version=${version}`,
    ...(base === undefined ? [] : [`--build-arg=BASE=${base}`]),
  ]
  run(builder, ['build', ...options, '.'])
  run(builder, ['push', name, `oci-archive:${file}:tollgate:${version}`])
}

function run(program, args) {
  const { status } = spawnSync(program, args, { cwd: ROOT, stdio: 'inherit' })
  if (status !== 0) throw new ReleaseError(`${program} ${args[0]} failed: see above.`)
}
