import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { formatJson } from '../format-json.ts'

/*
 * What the relay sends although the vendor refuses it. The list has to shrink: an entry that no
 * longer fails is a failure too. `UPDATE_FIXTURES=1` rewrites the file, except with CI.
 */

const FILE = path.join(import.meta.dirname, 'known-failures.json')
/** Ids of rules, by what was sent. */
const schema = z.record(z.string(), z.array(z.string()))
const listSchema = z.strictObject({
  /** Why each rule in the list may be broken. */
  reasons: z.record(z.string(), z.string().min(20)),
  fixtures: schema,
  conversations: schema,
  tapes: schema,
  tapesOnOwnWire: schema,
})

export type KnownFailures = z.output<typeof listSchema>

export const readKnownFailures = (): KnownFailures =>
  listSchema.parse(JSON.parse(readFileSync(FILE, 'utf8')))

/** The known failures of a kind, or the found ones where they are to be kept. */
export function knownFailures(
  kind: Exclude<keyof KnownFailures, 'reasons'>,
  found: Record<string, string[]>,
) {
  const known = readKnownFailures()
  if (process.env['UPDATE_FIXTURES'] !== '1') return known[kind]
  if (process.env['CI'] !== undefined) throw new Error('UPDATE_FIXTURES does not run with CI')
  writeFileSync(FILE, formatJson({ ...known, [kind]: found }))
  return found
}
