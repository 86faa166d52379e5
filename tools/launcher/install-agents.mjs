import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { installIn, ROOT } from './install.mjs'

/*
 * The packages of `e2e/agents`. They take two gigabytes, so nothing but `npm run agents` installs
 * them.
 */

const FOLDER = path.join(ROOT, 'e2e/agents')
const MODULES = path.join(FOLDER, 'node_modules')
/** npm leaves this folder alone. */
const PYTHON = path.join(MODULES, '.cache/aider')

export function installAgents() {
  onceFor(path.join(MODULES, '.installed-from'), ['package.json', 'package-lock.json'], () => {
    console.log('Installing the agents (once; some minutes) …')
    installIn(FOLDER)
    return true
  })
  onceFor(path.join(PYTHON, '.installed-from'), ['requirements.txt'], installPython)
}

/** Runs again when a manifest has changed. */
function onceFor(stamp, manifests, run) {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`)
  for (const name of manifests) hash.update(readFileSync(path.join(FOLDER, name)))
  const wanted = hash.digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  if (run()) writeFileSync(stamp, wanted)
}

/** Without Python, or where a package cannot be had, the run skips the agent by name. */
function installPython() {
  const venv = spawnSync('python3', ['-m', 'venv', PYTHON], { encoding: 'utf8' })
  if (venv.status !== 0) {
    console.log(`Aider is skipped: ${venv.error?.message ?? venv.stderr.trim()}`)
    return false
  }
  const pip = spawnSync(
    path.join(PYTHON, 'bin/pip'),
    ['install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt'],
    { cwd: FOLDER, stdio: 'inherit' },
  )
  if (pip.status !== 0) console.log('Aider is skipped: see what pip says above.')
  return pip.status === 0
}
