import { z } from 'zod'
import { plainNumber } from '../../lib/format.ts'

export type RecordRow = readonly [name: string, value: string]

const members = z.record(z.string(), z.union([z.string(), z.number(), z.null()]))

export function parseRows(text: string): RecordRow[] | null {
  try {
    const parsed = members.safeParse(JSON.parse(text))
    if (!parsed.success) return null
    return Object.entries(parsed.data).map(([name, value]) => [
      name,
      typeof value === 'number' ? plainNumber(value) : (value ?? ''),
    ])
  } catch {
    return null
  }
}

/**
 * JSON of the rows. Keeps duplicate names, so that validation can report them. Empty rows are left
 * out.
 */
export function textOfRows(rows: readonly RecordRow[], kind: 'text' | 'number'): string {
  const lines = rows
    .filter(([name, value]) => name !== '' || value !== '')
    .map(([name, value]) => {
      const member = kind === 'number' ? numberText(value) : JSON.stringify(value)
      return `  ${JSON.stringify(name)}: ${member}`
    })
  if (lines.length === 0) return '{}'
  return `{\n${lines.join(',\n')}\n}`
}

/** An invalid number becomes null, which no ratio allows. */
function numberText(text: string): string {
  return text.trim() === '' ? 'null' : JSON.stringify(Number(text))
}
