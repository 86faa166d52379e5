import { SqliteError, SqliteThreadEnded } from './sqlite-thread.ts'

/** SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY. */
const SQLITE_UNIQUE = new Set([2067, 1555])
/** unique_violation */
const POSTGRES_UNIQUE = '23505'

/** lock_not_available */
const POSTGRES_LOCK_TIMEOUT = '55P03'
/** query_canceled */
const POSTGRES_STATEMENT_TIMEOUT = '57014'

/**
 * SQLITE_BUSY, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN, SQLITE_READONLY: the code's low byte.
 */
const SQLITE_AWAY = new Set([5, 10, 13, 14, 8])
/**
 * connection_exception, read_only_sql_transaction (a standby), insufficient_resources,
 * operator_intervention, and socket errors.
 */
const POSTGRES_AWAY =
  /^(?:08...|25006|53...|57...|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/
const POOL_AWAY =
  /timeout exceeded when trying to connect|Connection terminated|connection timeout|Query read timeout|is not queryable/i

/** SQLITE_TOOBIG, _CONSTRAINT, _MISMATCH, _RANGE, and 0 for errors outside SQLite itself. */
const SQLITE_REFUSED = new Set([18, 19, 20, 25, 0])
const SQLITE_CONSTRAINT = 19
/** _CHECK and _NOTNULL */
const SQLITE_VALUE = new Set([275, 1299])
/** data_exception, not_null_violation, check_violation */
const POSTGRES_VALUE = /^(?:22...|23502|23514)$/
/**
 * feature_not_supported (also a plan of other tables), invalid_transaction_state (also for a
 * read-only server), a lost prepared statement, invalid_authorization, deadlocks, a missing name or
 * right, object_not_in_prerequisite_state (also a lock), system_error,
 * config_file_error, internal_error (also corrupted data).
 */
const POSTGRES_FAILED = /^(?:0A|25|26|28|40|42|55|58|F0|XX)...$/

/** What PostgreSQL answers to a statement. Known by its name: SQLite does not load `pg`. */
type PostgresError = Error & {
  readonly code?: string
  readonly table?: string
  readonly constraint?: string
}

const isPostgresError = (error: unknown): error is PostgresError =>
  error instanceof Error && error.name === 'error'

export const isUniqueViolation = (error: unknown) => uniqueViolationColumn(error) !== null

/**
 * The first column that violates a unique constraint; null for any other error. PostgreSQL reports
 * only the constraint, which our schema names after its table and column.
 */
export function uniqueViolationColumn(error: unknown): string | null {
  if (error instanceof SqliteError) {
    return SQLITE_UNIQUE.has(error.code) ? (/: \w+\.(\w+)/.exec(error.message)?.[1] ?? '') : null
  }
  if (!isPostgresError(error) || error.code !== POSTGRES_UNIQUE) return null
  const { table = '', constraint = '' } = error
  return constraint.slice(table.length + 1).replace(/_key$/, '')
}

/** The database was unavailable or read-only, as opposed to refusing the statement. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof SqliteError) return SQLITE_AWAY.has(error.code % 256)
  if (error instanceof SqliteThreadEnded) return true
  if (!(error instanceof Error)) return false
  // An error of `node:sqlite` itself, as the locks of the data folder throw it.
  if ('errcode' in error) return SQLITE_AWAY.has(Number(error.errcode) % 256)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return POSTGRES_AWAY.test(code) || POOL_AWAY.test(error.message)
}

/** Other transactions held a lock for longer than the transaction may wait. */
export const isLockTimeout = (error: unknown) =>
  isPostgresError(error) && error.code === POSTGRES_LOCK_TIMEOUT

export const isStatementTimeout = (error: unknown) =>
  isPostgresError(error) && error.code === POSTGRES_STATEMENT_TIMEOUT

/**
 * The failure is independent of the values, so the same statement with other values would fail too.
 */
export function isDatabaseFault(error: unknown): boolean {
  if (isDatabaseAway(error)) return true
  if (error instanceof SqliteError) return !SQLITE_REFUSED.has(error.code % 256)
  return isPostgresError(error) && POSTGRES_FAILED.test(error.code ?? '')
}

/**
 * The database's error code if existing rows may be the reason for the refusal. Null for a value
 * that the database never accepts, and for an error of our own.
 */
export function refusalCode(error: unknown): number | string | null {
  if (error instanceof SqliteError) {
    const isForRows = error.code % 256 === SQLITE_CONSTRAINT && !SQLITE_VALUE.has(error.code)
    return isForRows ? error.code : null
  }
  const code = isPostgresError(error) ? (error.code ?? '') : ''
  return code === '' || POSTGRES_VALUE.test(code) ? null : code
}
