import { isRecord, parseJson } from '@tollgate/relay'

/* Finds out whether a member reached the provider with its own values. */

/** Members whose values name a form, or that are absent in some forms. */
const FORMS: ReadonlySet<string> = new Set([
  'type',
  'role',
  'strict',
  'detail',
  'format',
  'filename',
  'media_type',
  'mimeType',
  'additionalProperties',
])
/** A longer difference is cut. */
const LENGTH_MAX = 80

type Leaf = { readonly path: string; readonly value: string }

type Compared = {
  /** What the client sent: the request without the member, and the member. */
  readonly without: object
  readonly member: object
  /** What the provider got without and with the member. */
  readonly plain: string
  readonly full: string
}

/** What the provider gets in place of the member; null if every value of the member arrived. */
export function adaptation({ without, member, plain, full }: Compared): string | null {
  const common = new Set(leavesOf(without).map(({ value }) => value))
  const known = new Set(leavesOf(parseJson(plain)).map(({ path, value }) => `${path}=${value}`))
  const added = leavesOf(parseJson(full)).filter(
    ({ path, value }) => !known.has(`${path}=${value}`),
  )
  const arrived = (value: string) =>
    added.some((leaf) => includes(leaf.value, value) || includes(value, leaf.value))
  const isKept = leavesOf(member, FORMS).every(({ value }) => common.has(value) || arrived(value))
  if (isKept || added.length === 0) return null
  const text = added.map(({ path, value }) => `${path}: ${value}`).join(', ')
  return text.length <= LENGTH_MAX ? text : `${text.slice(0, LENGTH_MAX)}…`
}

/** Some providers write the names of choices in capitals. */
const includes = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase())

function leavesOf(
  value: unknown,
  ignored: ReadonlySet<string> = new Set(),
  path: readonly string[] = [],
): Leaf[] {
  if (!isRecord(value) && !Array.isArray(value)) {
    return [{ path: path.join('.'), value: String(value) }]
  }
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    ignored.has(name) ? [] : leavesOf(inner, ignored, [...path, name]),
  )
}
