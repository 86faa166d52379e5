import type { Logger } from 'pino'
import type { z } from 'zod'
import {
  firstProblem,
  type Language,
  type OptionKey,
  OPTIONS,
  type OptionValues,
  parseIn,
} from '@tollgate/contract'
import type { Database, Tx } from '../store/database.ts'
import { openSnapshot } from '../store/snapshot.ts'
import { storableText } from '../store/storable-text.ts'

export type Settings = {
  /** The running values; a change on any node is seen here within a second. */
  current: () => OptionValues
  /** Every option that is no secret, as text. */
  list: () => { key: OptionKey; value: string }[]
  /** Returns why the text is refused, or null when it was stored. */
  update: (key: OptionKey, text: string, language: Language) => Promise<{ problem: string } | null>
}

type Stored = { key: string; value: string }

export const isOptionKey = (key: string): key is OptionKey => Object.hasOwn(OPTIONS, key)

const keys = Object.keys(OPTIONS).filter(isOptionKey)

/** Strings are stored as they are, everything else as JSON. */
const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function parseOption(key: OptionKey, text: string, language: Language = 'en') {
  const { schema, default: fallback } = OPTIONS[key]
  if (typeof fallback === 'string') return parseIn<unknown>(schema, text, language)
  try {
    return parseIn<unknown>(schema, text.trim() === '' ? null : JSON.parse(text), language)
  } catch {
    return parseIn<unknown>(schema, text, language)
  }
}

export async function openSettings(database: Database, log: Logger): Promise<Settings> {
  const read = async () => readValues(await stored(database), log)
  const { current, refresh } = await openSnapshot({ database, log, what: 'options', read })
  return {
    current,
    list: () =>
      keys
        .filter((key) => !OPTIONS[key].secret)
        .map((key) => ({ key, value: toText(current()[key]) })),
    update: async (key, text, language) => {
      const parsed = parseOption(key, text, language)
      if (!parsed.success) return { problem: describe(parsed.error, language) }
      const value = storableText(toText(parsed.data), Infinity)
      await database.change((tx) => write(tx, { key, value }))
      await refresh()
      return null
    },
  }
}

/** Inside a table the row is named too. */
function describe(error: z.ZodError, language: Language): string {
  const { field, problem } = firstProblem(error, language)
  return field === '' ? problem : `${field}: ${problem}`
}

const stored = (database: Database): Promise<Stored[]> =>
  database.kysely.selectFrom('options').select(['key', 'value']).execute()

async function write(tx: Tx, row: Stored) {
  await tx
    .insertInto('options')
    .values(row)
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: row.value }))
    .execute()
}

/** A broken stored value falls back to its default, with one line in the log. */
function readValues(rows: Stored[], log: Logger): OptionValues {
  const texts = new Map(rows.map(({ key, value }) => [key, value]))
  const entries = keys.map((key) => {
    const text = texts.get(key)
    if (text === undefined) return [key, OPTIONS[key].default]
    const parsed = parseOption(key, text)
    if (parsed.success) return [key, parsed.data]
    log.warn({ option: key }, 'a stored option is broken; its default is used')
    return [key, OPTIONS[key].default]
  })
  return Object.fromEntries(entries) as OptionValues // safe because every key has its own row above
}
