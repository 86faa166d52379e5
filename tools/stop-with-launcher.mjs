/**
 * Loaded ahead of a program that a launcher starts. The channel between the two closes when the
 * launcher is gone, however it went; a program that does not watch the channel itself is then stopped.
 */
if (process.env.TOLLGATE_LAUNCHER_CHANNEL === String(process.ppid) && process.connected) {
  process.once('disconnect', () => {
    if (process.listenerCount('disconnect') === 0) process.kill(process.pid, 'SIGTERM')
  })
  process.channel?.unref()
}
