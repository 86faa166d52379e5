import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../launcher/install.mjs'

/** The sources of these are part of the bundle. */
const WORKSPACES = ['server', 'relay', 'contract']
/** Half of the files of packages; no program loads them. */
const NOT_LOADED = /\.(?:d\.[cm]?ts|[cm]?js\.map|d\.[cm]?ts\.map)$/
const FILES = ['LICENSE', 'CHANGELOG.md', 'server/package.json', 'server/dist', 'console/dist']

/**
 * Writes what a machine needs that has Node.js and nothing else: the built server and console, the
 * packages that they load, and the script `tollgate`.
 */
export function assembleProduct(target) {
  for (const file of FILES) copy(path.join(ROOT, file), path.join(target, file))
  copy(path.join(ROOT, 'deploy/tollgate'), path.join(target, 'tollgate'))
  // Packages that a package has inside are listed apart.
  const filter = (file) => path.basename(file) !== 'node_modules' && !NOT_LOADED.test(file)
  for (const folder of packagesOf(WORKSPACES)) {
    copy(path.join(ROOT, folder), path.join(target, folder), filter)
  }
}

function copy(from, to, filter) {
  mkdirSync(path.dirname(to), { recursive: true })
  cpSync(from, to, { recursive: true, filter })
}

/** The folders of all packages that these workspaces load, as npm has placed them. */
export function packagesOf(workspaces) {
  const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'))
  const found = new Set()
  const visit = (folder) => {
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = packages[folder]
    const peers = Object.keys(peerDependencies).filter(
      (name) => !peerDependenciesMeta[name]?.optional,
    )
    for (const name of [...Object.keys(dependencies), ...peers]) {
      const place = placeOf(packages, folder, name)
      if (found.has(place)) continue
      found.add(place)
      visit(place)
    }
  }
  for (const workspace of workspaces) visit(workspace)
  return [...found].filter((place) => place.includes('node_modules/'))
}

/** As Node.js looks packages up: in the folder itself, then in each folder above. */
function placeOf(packages, folder, name) {
  for (let at = folder; ; at = path.posix.dirname(at)) {
    const place = at === '.' ? `node_modules/${name}` : `${at}/node_modules/${name}`
    const entry = packages[place]
    if (entry?.link) return entry.resolved
    if (entry !== undefined && existsSync(path.join(ROOT, place))) return place
    if (at === '.') throw new Error(`${folder} needs the package ${name}, which is not installed`)
  }
}
