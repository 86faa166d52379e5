import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { ROOT } from '../launcher/install.mjs'
import { ReleaseError } from './prepare.mjs'

const SOURCES = '/src'

const isThere = (program) => spawnSync(program, ['--version']).status === 0

/** A program that builds images without a daemon; undefined if this machine has none. */
export const findBuilder = () => ['buildah', 'podman'].find(isThere)

/**
 * Builds the image from the working tree, and writes it as an archive that `docker load` and
 * `podman load` read. The image has the packages and the build of this folder.
 */
export function buildImage(builder, file, { version, seconds, base }) {
  const name = `localhost/tollgate:${version}`
  const options = [
    `--timestamp=${seconds}`,
    // Images in the form of OCI have no health check.
    '--format=docker',
    '--isolation=chroot',
    '--layers=false',
    '--file=deploy/Containerfile',
    `--tag=${name}`,
    `--label=org.opencontainers.image.version=${version}`,
    ...madeFolders().map((folder) => `--volume=${path.join(ROOT, folder)}:${SOURCES}/${folder}:ro`),
    ...(base === undefined ? [] : [`--build-arg=BASE=${base}`]),
  ]
  run(builder, ['build', ...options, '.'])
  const archive = `${file}.tar`
  run(builder, ['push', name, `docker-archive:${archive}:${name}`])
  writeFileSync(file, gzipSync(readFileSync(archive)))
  rmSync(archive)
}

/** Folders that are not part of the sources, so that the image does not make them again. */
function madeFolders() {
  const workspaces = readdirSync(ROOT).map((name) => `${name}/node_modules`)
  return ['node_modules', ...workspaces, 'server/dist', 'console/dist'].filter((folder) =>
    existsSync(path.join(ROOT, folder)),
  )
}

function run(program, args) {
  const { status } = spawnSync(program, args, { cwd: ROOT, stdio: 'inherit' })
  if (status !== 0) throw new ReleaseError(`${program} ${args[0]} failed: see above.`)
}
