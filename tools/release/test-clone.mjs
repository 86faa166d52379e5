import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import path from 'node:path'
import { ROOT } from '../launcher/install.mjs'

const NOT_SOURCES = ['node_modules', 'dist', '.git', 'data']
const NOT_RELEASED = ['bench', 'testing', '__fixtures__']
const LEFT_OUT = new Set([...NOT_SOURCES, ...NOT_RELEASED])
const CONSOLE = path.join(ROOT, 'console/dist')

/**
 * The sources of this folder as a repository with one commit and the tag v1.2.3. The packages and
 * the built console are those of this folder: a release builds the console only if it has changed.
 * The clone stands in `dist`, since a build needs the file system of the packages.
 */
export function cloneSources() {
  mkdirSync(path.join(ROOT, 'dist'), { recursive: true })
  const folder = mkdtempSync(path.join(ROOT, 'dist', 'test-release-'))
  const sources = path.join(folder, 'sources')
  const filter = (file) => !LEFT_OUT.has(path.basename(file))
  for (const name of readdirSync(ROOT).filter(filter)) {
    // The packages count as installed if they are newer than all manifests.
    const options = { recursive: true, preserveTimestamps: true, filter }
    cpSync(path.join(ROOT, name), path.join(sources, name), options)
  }
  if (existsSync(CONSOLE)) {
    cpSync(CONSOLE, path.join(sources, 'console/dist'), { recursive: true })
  }
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(sources, 'node_modules'))
  const git = (...args) => execFileSync('git', args, { cwd: sources, encoding: 'utf8' }).trim()
  git('init', '--quiet')
  // To .gitignore, only a folder is one of packages.
  appendFileSync(path.join(sources, '.git/info/exclude'), 'node_modules\n')
  git('config', 'user.name', 'somebody')
  git('config', 'user.email', 'somebody@example.org')
  git('config', 'core.compression', '0')
  git('add', '.')
  git('commit', '--quiet', '--message', 'all')
  git('tag', 'v1.2.3')
  return {
    folder,
    sources,
    git,
    release: (args, env = {}) =>
      spawnSync(process.execPath, ['tools/release.mjs', ...args], {
        cwd: sources,
        encoding: 'utf8',
        env: { ...process.env, ...env },
      }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
