/**
 * Preloaded into every program that a launcher starts. The IPC channel closes when the launcher
 * ends, however it ends; a program that does not listen for this is then stopped.
 */
if (process.env.TOLLGATE_LAUNCHER_CHANNEL === String(process.ppid) && process.connected) {
  process.once('disconnect', () => {
    if (process.listenerCount('disconnect') === 0) process.kill(process.pid, 'SIGTERM')
  })
  process.channel?.unref()
}
