import pino, { type DestinationStream, type LevelWithSilent, type Logger } from 'pino'

/** One JSON line per event, to standard output unless another destination is given. */
export function createLog(level: LevelWithSilent, destination?: DestinationStream): Logger {
  const options = {
    level,
    redact: ['*.key', '*.password', '*.headers.authorization', '*.headers.cookie'],
    serializers: { error: describeError },
  }
  return destination ? pino(options, destination) : pino(options)
}

/** Nothing else of an error is told: PostgreSQL adds whole rows to its own. */
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
