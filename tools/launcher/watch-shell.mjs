const CHECK_MS = 250

/**
 * A signal to npm may end only the shell between npm and this process. Calls `onEnd` once when that
 * shell has ended.
 */
export function watchShell(shell, onEnd) {
  const timer = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(timer)
    onEnd()
  }, CHECK_MS).unref()
}
