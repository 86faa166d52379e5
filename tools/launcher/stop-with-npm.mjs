/** Preloaded into a program that takes the place of its launcher. */
import { isMainThread } from 'node:worker_threads'
import { watchShell } from './watch-shell.mjs'

// Worker processes and threads inherit the variable, but the program stops them itself.
const [program, shell] = (process.env.TOLLGATE_NPM_SHELL ?? '').split(' ').map(Number)
if (isMainThread && program === process.pid) {
  watchShell(shell, () => process.kill(process.pid, 'SIGTERM'))
}
