import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { LaunchError, ROOT } from './install.mjs'

const STOP_WITH_LAUNCHER = new URL('stop-with-launcher.mjs', import.meta.url).href
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
const PARENT_CHECK_MS = 250

const running = new Set()
let stopping = false

/**
 * Starts a script under `node`. It gets a process group of its own, so that a key press in the
 * terminal reaches it once, through us, and not a second time directly.
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

/** The exit code, in the shell's way: 128 and the number of the signal that ended the process. */
export function exitCodeOf(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })
}

/** Ends the process and all it started, without asking. */
export function killGroup(child) {
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

/** The first signal goes to everything started; what follows is npm or the terminal repeating it. */
function stop(signal) {
  if (stopping) return
  stopping = true
  if (running.size === 0) process.exit(128 + constants.signals[signal])
  for (const child of running) child.kill(signal)
}

/** A signal sent to npm ends the shell between npm and us, and never gets here by itself. */
function stopWithNpm() {
  if (!process.env.npm_lifecycle_event) return
  const shell = process.ppid
  setInterval(() => {
    if (process.ppid !== shell) stop('SIGTERM')
  }, PARENT_CHECK_MS).unref()
}

export function isStopping() {
  return stopping
}

/** Runs a launcher: its answer is the exit code, and a failure it names is shown as one line. */
export async function launch(main) {
  for (const signal of SIGNALS) process.on(signal, () => stop(signal))
  stopWithNpm()
  try {
    process.exitCode = await main()
  } catch (error) {
    if (!(error instanceof LaunchError)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}

export function pathInTools(name) {
  return fileURLToPath(new URL(name, import.meta.url))
}
