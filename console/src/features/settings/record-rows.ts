import { z } from 'zod'

/** A row while it is edited: both sides are texts. */
export type RecordRow = readonly [name: string, value: string]

const members = z.record(z.string(), z.union([z.string(), z.number(), z.null()]))

/** The rows of an object whose members are texts or numbers; null when the text is none. */
export function parseRows(text: string): RecordRow[] | null {
  try {
    const parsed = members.safeParse(JSON.parse(text))
    if (!parsed.success) return null
    return Object.entries(parsed.data).map(([name, value]) => [name, String(value ?? '')])
  } catch {
    return null
  }
}

/**
 * The JSON of the rows. A name given twice stands in it twice, so that checking the text finds it; a row that nothing
 * was typed into yet is none.
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

/** What is no number becomes null, which no ratio may be. */
function numberText(text: string): string {
  return text.trim() === '' ? 'null' : JSON.stringify(Number(text))
}
