import pg from 'pg'

/** Both would be texts. Parsers belong to the process, so every user of `pg` imports it here. */
const BIGINT_OID = 20
/** PostgreSQL returns the SUM of a BIGINT column as NUMERIC. */
const NUMERIC_OID = 1700

pg.types.setTypeParser(BIGINT_OID, parseExact)
pg.types.setTypeParser(NUMERIC_OID, parseExact)

function parseExact(text: string): number {
  const value = Number(text)
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value
  throw new RangeError(`${text} cannot be held exactly`)
}

export { pg }
