import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'

const ROOT = path.join(import.meta.dirname, '../../..')
/**
 * Stands for the previous release until there is a tag: the first commit that starts on tables of
 * a newer version.
 */
const BEFORE_TAGS = '17dfe82d0b90b646c94958525ce57bb58f2c663b'
const SOURCES = ['contract', 'relay', 'server', 'tools/build.mjs', 'tools/launcher']
const NEEDED = [...SOURCES, 'package.json', 'package-lock.json']

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }).trim()

/**
 * Builds the server of the previous release with the packages of today; returns its entry point.
 * Undefined in a copy without the history of the repository.
 */
export function buildPreviousRelease(): string | undefined {
  const commit = findCommit()
  if (commit === undefined) return undefined
  const folder = path.join(ROOT, 'node_modules/.cache/tollgate', `release-${commit}`)
  const main = path.join(folder, 'server/dist/main.js')
  if (existsSync(main)) return main
  const aside = `${folder}-${process.pid}`
  try {
    mkdirSync(path.join(aside, 'node_modules/@tollgate'), { recursive: true })
    const archive = execFileSync('git', ['archive', commit, '--', ...NEEDED], {
      cwd: ROOT,
      maxBuffer: 1024 ** 3,
    })
    execFileSync('tar', ['--extract', `--directory=${aside}`], { input: archive })
    for (const name of ['contract', 'relay']) {
      symlinkSync(`../../${name}`, path.join(aside, 'node_modules/@tollgate', name))
    }
    execFileSync(process.execPath, ['tools/build.mjs', 'server'], { cwd: aside, stdio: 'pipe' })
    renameSync(aside, folder)
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
  return main
}

/** The newest tag before this commit. */
function findCommit(): string | undefined {
  for (const find of [
    () => git('describe', '--tags', '--abbrev=0', '--match=v[0-9]*', 'HEAD^'),
    () => BEFORE_TAGS,
  ]) {
    try {
      return git('rev-parse', '--verify', '--quiet', `${find()}^{commit}`)
    } catch {
      // Without a tag, or in a shallow clone.
    }
  }
  return undefined
}
