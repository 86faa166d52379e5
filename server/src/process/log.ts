import pino, { type DestinationStream, type LevelWithSilent, type LogFn, type Logger } from 'pino'

/** Lines per failure within the window. Further lines are only counted. */
const SAME_FAILURE_MAX = 20
const WINDOW_MS = 10_000
const FAILURES_MAX = 1000

/**
 * One JSON line per event, to standard output unless `destination` is given. A failure that every
 * request meets, such as an unavailable database, does not fill the disk.
 */
export function createLog(level: LevelWithSilent, destination?: DestinationStream): Logger {
  const options = {
    level,
    redact: ['*.key', '*.password', '*.headers.authorization', '*.headers.cookie'],
    serializers: { error: describeError },
    hooks: { logMethod: createFloodGate() },
  }
  return destination ? pino(options, destination) : pino(options)
}

function createFloodGate() {
  const counts = new Map<string, number>()
  const logSuppressed = (log: Logger) => {
    for (const [failure, count] of counts) {
      const left_out = count - SAME_FAILURE_MAX
      if (left_out > 0) log.warn({ failure, left_out }, 'repeated failures were not logged')
    }
    counts.clear()
  }
  return function logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn) {
    const failure = failureOf(args)
    if (failure !== null && (counts.has(failure) || counts.size < FAILURES_MAX)) {
      if (counts.size === 0) setTimeout(logSuppressed, WINDOW_MS, this).unref()
      const count = (counts.get(failure) ?? 0) + 1
      counts.set(failure, count)
      if (count > SAME_FAILURE_MAX) return
    }
    method.apply(this, args)
  }
}

/** Identifies repetitions of a failure; null for a line without an error. */
function failureOf([fields, message]: unknown[]): string | null {
  if (typeof fields !== 'object' || fields === null || !('error' in fields)) return null
  const { error } = fields
  if (!(error instanceof Error)) return `${String(message)}: ${String(error)}`
  const reason = 'code' in error ? String(error.code) : error.message
  return `${String(message)}: ${reason}`
}

/** Logs no other fields of an error, because PostgreSQL adds whole rows to its errors. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  return {
    name: error.name,
    message: error.message,
    ...('code' in error ? { code: error.code } : {}),
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  }
}
