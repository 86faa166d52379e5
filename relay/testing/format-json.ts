import { isRecord } from '../src/bytes/json-value.ts'

const WIDTH = 120

/** Writes a value in one line where it fits, so that a change of a fixture is a short diff. */
export const formatJson = (value: unknown): string => `${formatValue(value, '', 0)}\n`

/** `column` is the width of the first line so far, with what follows the value. */
function formatValue(value: unknown, indent: string, column: number): string {
  const flat = inline(value)
  if (column + flat.length <= WIDTH) return flat
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    const items = value.map((item) => inner + formatValue(item, inner, inner.length + 1))
    return `[\n${items.join(',\n')}\n${indent}]`
  }
  if (!isRecord(value)) return flat
  const members = Object.entries(value).map(([name, item]) => {
    const head = `${inner}${JSON.stringify(name)}: `
    return head + formatValue(item, inner, head.length + 1)
  })
  return `{\n${members.join(',\n')}\n${indent}}`
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (!isRecord(value)) return JSON.stringify(value)
  const members = Object.entries(value)
  if (members.length === 0) return '{}'
  return `{ ${members.map(([name, item]) => `${JSON.stringify(name)}: ${inline(item)}`).join(', ')} }`
}
