import type { Difference, FieldChange } from './difference.ts'
import { pathText } from './fault.ts'
import type { Plan } from './plan.ts'

const MARKS = { create: '+', update: '~', delete: '-' } as const
const SHOWN_CHARACTERS_MAX = 120

export function planLines({ differences, missing, released }: Plan, isApplied = false): string[] {
  return [
    ...differences.flatMap(linesOf),
    ...missing.map(
      ({ path, problem }) => `? ${pathText(path)}: ${problem}, so it was not compared`,
    ),
    ...released.map((name) =>
      isApplied
        ? `  the file no longer manages channel ${name}; delete it in the console`
        : `  channel ${name} has left the file; --prune deletes it`,
    ),
  ]
}

/** For programs; secrets have no values. */
export const planJson = ({ differences, missing, released }: Plan) => ({
  differences,
  not_compared: missing.map(({ path, problem }) => ({ path: pathText(path), problem })),
  released,
})

function linesOf({ kind, name, action, fields }: Difference): string[] {
  const title = `${MARKS[action]} ${kind} ${name}`
  const [only] = fields
  if (fields.length === 1 && only?.field === '') return [`${title}: ${changeText(only)}`]
  return [title, ...fields.map((change) => `    ${change.field || 'value'}: ${changeText(change)}`)]
}

function changeText({ before, after, isSecret }: FieldChange): string {
  if (isSecret === true) return '(secret)'
  if (before === undefined) return shown(after)
  return `${shown(before)} → ${after === undefined ? 'none' : shown(after)}`
}

function shown(value: unknown): string {
  const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value)
  return text.length <= SHOWN_CHARACTERS_MAX ? text : `${text.slice(0, SHOWN_CHARACTERS_MAX)}…`
}
