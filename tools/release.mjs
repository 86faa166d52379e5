import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { install, ROOT } from './launcher/install.mjs'
import { buildImage, findBuilder } from './release/image.mjs'
import { packFolder, writeChecksums } from './release/pack.mjs'
import { checkVersion, prepareRelease, RELEASED_FILES, ReleaseError } from './release/prepare.mjs'
import { assembleProduct } from './release/product.mjs'

const USE = 'use: npm run release -- VERSION [--dry-run] [--no-image] [--base IMAGE] [--out FOLDER]'

const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'dry-run': { type: 'boolean', default: false },
      image: { type: 'boolean', default: true },
      base: { type: 'string' },
      out: { type: 'string' },
    },
    allowNegative: true,
  })
  const [version, ...others] = positionals
  if (version === undefined || others.length > 0) throw new ReleaseError(USE)
  checkVersion(version)
  requireCleanTree()
  if (git('tag', '--list', `v${version}`) !== '') {
    throw new ReleaseError(`The tag v${version} exists already.`)
  }
  // Before the manifests have another version, which would count as packages to install.
  const node = install()
  const out = path.resolve(values.out ?? path.join(ROOT, 'dist', `tollgate-${version}`))
  if (values.out !== undefined && existsSync(out) && readdirSync(out).length > 0) {
    throw new ReleaseError(`--out ${out} has files; name a new folder.`)
  }
  try {
    release(version, { ...values, out, node })
  } catch (error) {
    git('checkout', '--', ...RELEASED_FILES)
    throw error
  }
}

function requireCleanTree() {
  const changed = git('status', '--porcelain')
  if (changed !== '') throw new ReleaseError(`Commit these files, or remove them:\n${changed}`)
}

function release(version, { out, node, base, image, 'dry-run': isDryRun }) {
  // The commit that is there dates all files, so that a second run writes the same bytes.
  const seconds = Number(git('log', '-1', '--format=%ct'))
  const date = new Date(seconds * 1000).toISOString().slice(0, 10)
  const notes = prepareRelease(ROOT, { version, date })
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  build(node)
  const names = [`tollgate-${version}.tar.gz`, 'NOTES.md']
  const folder = path.join(out, `tollgate-${version}`)
  assembleProduct(folder)
  packFolder(folder, path.join(out, names[0]), seconds)
  rmSync(folder, { recursive: true })
  writeFileSync(path.join(out, 'NOTES.md'), notes)
  const builder = image ? findBuilder() : undefined
  if (builder === undefined) console.log('No image: it needs buildah or podman, and no --no-image.')
  else {
    names.push(`tollgate-${version}.image.tar.gz`)
    buildImage(builder, path.join(out, names[2]), { version, seconds, base })
  }
  writeChecksums(out, names)
  finish(version, isDryRun)
  console.log(`${isDryRun ? 'Tried' : 'Released'} ${version}: ${names.join(', ')} in ${out}`)
}

function build(node) {
  const { status } = spawnSync(node, ['tools/build.mjs'], { cwd: ROOT, stdio: 'inherit' })
  if (status !== 0) throw new ReleaseError('The build failed: see above.')
}

function finish(version, isDryRun) {
  if (isDryRun) return git('checkout', '--', ...RELEASED_FILES)
  git('commit', '--quiet', '--message', `release: make version ${version}`, ...RELEASED_FILES)
  git('tag', '--annotate', `v${version}`, '--message', `Tollgate ${version}`)
}

try {
  main()
} catch (error) {
  if (!(error instanceof ReleaseError) && error.code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
    throw error
  console.error(`release: ${error.message}`)
  process.exitCode = 1
}
