import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { LaunchError, ROOT } from './install.mjs'
import { watchShell } from './watch-shell.mjs'

const STOP_WITH_LAUNCHER = new URL('stop-with-launcher.mjs', import.meta.url).href
const STOP_WITH_NPM = new URL('stop-with-npm.mjs', import.meta.url).href
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']

const running = new Set()
let stopping = false

/**
 * Starts a script under `node`, in its own process group. A key press in the terminal then reaches
 * the script once, through the launcher, and not also directly.
 */
export function startNode(node, args, { env, output = 'inherit' } = {}) {
  const child = spawn(node, ['--import', STOP_WITH_LAUNCHER, ...args], {
    cwd: ROOT,
    detached: process.platform !== 'win32',
    env: { ...process.env, ...env, TOLLGATE_LAUNCHER_CHANNEL: String(process.pid) },
    stdio: [output === 'inherit' ? 'inherit' : 'ignore', output, output, 'ipc'],
  })
  running.add(child)
  child.once('close', () => running.delete(child))
  return child
}

/**
 * Replaces the launcher by a script under `node`, which keeps the process id. Windows cannot do
 * this; there the script is a child. `defaults` are variables that the environment may override.
 */
export function becomeNode(node, args, defaults = {}) {
  const env = { ...defaults, ...process.env }
  if (process.platform === 'win32' || process.execve === undefined) {
    return exitCodeOf(startNode(node, args, { env }))
  }
  process.chdir(ROOT)
  if (env.npm_lifecycle_event) env.TOLLGATE_NPM_SHELL = `${process.pid} ${process.ppid}`
  process.execve(node, [node, '--import', STOP_WITH_NPM, ...args], env)
}

/**
 * The exit code as a shell reports it: 128 plus the signal number if a signal ended the process.
 */
export function exitCodeOf(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })
}

/** Kills the process and all its children with SIGKILL. */
export function killGroup(child) {
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

/**
 * Forwards the first signal to all children; further signals are repetitions by npm or the
 * terminal.
 */
function stop(signal) {
  if (stopping) return
  stopping = true
  if (running.size === 0) process.exit(128 + constants.signals[signal])
  for (const child of running) child.kill(signal)
}

export function isStopping() {
  return stopping
}

/** Runs a launcher. `main` returns the exit code; a LaunchError is shown as one line. */
export async function launch(main) {
  for (const signal of SIGNALS) process.on(signal, () => stop(signal))
  if (process.env.npm_lifecycle_event) watchShell(process.ppid, () => stop('SIGTERM'))
  try {
    process.exitCode = await main()
  } catch (error) {
    if (!(error instanceof LaunchError)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}

export function pathInTools(name) {
  return fileURLToPath(new URL(`../${name}`, import.meta.url))
}
