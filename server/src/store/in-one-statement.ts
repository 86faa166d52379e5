import { type Compilable, CompiledQuery } from 'kysely'
import type { Database } from './database.ts'

/** By the texts of the parts, of which there are few combinations. */
const known = new Map<string, string>()

/**
 * Joins writes to different tables into one statement of PostgreSQL, so that its server and the
 * client exchange the messages of one. SQLite runs the parts of a message without further messages.
 *
 * PostgreSQL runs the main statement first and then the last of the common table expressions, up to
 * the first. The parts are therefore written in reverse, so that they lock rows in their order.
 */
export function inOneStatement(
  kind: Database['kind'],
  writes: readonly Compilable[],
): readonly Compilable[] {
  if (kind === 'sqlite' || writes.length < 2) return writes
  const parts = writes.map((write) => write.compile())
  const id = parts.map(({ sql }) => sql).join('\0')
  let text = known.get(id)
  if (text === undefined) {
    text = joined(parts)
    known.set(id, text)
  }
  const compiled = CompiledQuery.raw(
    text,
    parts.flatMap(({ parameters }) => parameters),
  )
  return [{ compile: () => compiled }]
}

function joined(parts: readonly CompiledQuery[]): string {
  let before = 0
  const texts = parts.map(({ sql, parameters }) => {
    const first = before
    before += parameters.length
    return sql.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + first}`)
  })
  const [main = '', ...others] = texts
  return `with ${others
    .map((text, index) => `part_${index} as (${text})`)
    .toReversed()
    .join(', ')} ${main}`
}
