import type { IncomingHttpHeaders } from 'node:http'
import type { HeadWriter } from './head-writer.ts'
import { HEADER_LINES, HEADER_NAME, HEADER_VALUE, LINE_END, trimBlanks } from './syntax.ts'

export type FieldRules = {
  countMax: number
  /**
   * `rejected`: a name may occur once, and cookies of a server not at all. `joined`: values are
   * joined by a comma, and cookies kept as a list.
   */
  repeats: 'rejected' | 'joined'
}

/** Parses header lines, each with its line end. Null if malformed or against the rules. */
export function readFields(
  lines: string,
  { countMax, repeats }: FieldRules,
): IncomingHttpHeaders | null {
  if (!HEADER_LINES.test(lines)) return null
  const fields: IncomingHttpHeaders = {}
  let count = 0
  for (let at = 0; at < lines.length; count += 1) {
    const colon = lines.indexOf(':', at)
    const end = lines.indexOf(LINE_END, colon)
    const name = nameAt(lines, at, colon)
    const value = trimBlanks(lines, colon + 1, end)
    // Also finds names that every object inherits.
    const known = fields[name]
    if (known === undefined && name !== 'set-cookie') fields[name] = value
    else if (repeats === 'rejected') return null
    else if (name === 'set-cookie') fields[name] = [...(fields[name] ?? []), value]
    else fields[name] = `${String(known)}, ${value}`
    at = end + LINE_END.length
  }
  return count > countMax ? null : fields
}

/** Names of most headers. Finding one in both usual spellings spares two texts per header. */
const USUAL_NAMES = `
  accept accept-encoding accept-language anthropic-beta anthropic-version api-key authorization
  cache-control cf-cache-status cf-ray connection content-encoding content-length content-type
  cookie date host keep-alive openai-organization openai-processing-ms openai-version origin
  referer server set-cookie strict-transport-security traceparent transfer-encoding user-agent
  vary via x-api-key x-content-type-options x-forwarded-for x-forwarded-proto x-real-ip
  x-request-id x-stainless-arch x-stainless-async x-stainless-lang x-stainless-os
  x-stainless-package-version x-stainless-retry-count x-stainless-runtime
  x-stainless-runtime-version x-stainless-timeout
`

type Spelling = { readonly text: string; readonly name: string }

const NO_SPELLINGS: readonly Spelling[] = []

/** By length. */
const SPELLINGS = new Map<number, Spelling[]>()
for (const name of USUAL_NAMES.trim().split(/\s+/)) {
  const titled = name.replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())
  const known = SPELLINGS.get(name.length) ?? []
  SPELLINGS.set(name.length, [...known, { text: name, name }, { text: titled, name }])
}

/** The lower-case name between two positions. */
function nameAt(lines: string, from: number, to: number): string {
  const known = SPELLINGS.get(to - from) ?? NO_SPELLINGS
  for (const { text, name } of known) if (lines.startsWith(text, from)) return name
  return lines.slice(from, to).toLowerCase()
}

/** A serialized header line. Throws as `checkField` does. */
export function encodeField(name: string, value: string): string {
  checkField(name, value)
  return `${name}: ${value}${LINE_END}`
}

/** Throws a `TypeError` on characters that could alter the message. */
export function checkField(name: string, value: string) {
  if (HEADER_NAME.test(name) && HEADER_VALUE.test(value)) return
  throw new TypeError('a header has characters that cannot be sent')
}

/** Adds a header line, whose name and value the caller has checked. */
export function addField(head: HeadWriter, name: string, value: string) {
  head.add(name)
  head.add(': ')
  head.add(value)
  head.add(LINE_END)
}
