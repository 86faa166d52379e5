import { z } from 'zod'

/** Per-model price options, which are edited together. */
export const RATIO_TABLES = [
  'ModelRatio',
  'CompletionRatio',
  'CacheRatio',
  'CacheWriteRatio',
  'AudioRatio',
  'AudioCompletionRatio',
  'ImageRatio',
] as const

export type RatioTable = (typeof RATIO_TABLES)[number]

export type Ratios = Readonly<Record<string, number>>

/** Ratios of a model. Missing ratios come from the server's price tables. */
export type RatioRow = { model: string; ratios: Readonly<Partial<Record<RatioTable, number>>> }

const ratios = z.record(z.string(), z.number())

/** Null when the text is not a JSON object of numbers. */
export function parseRatios(text: string): Ratios | null {
  try {
    return ratios.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

const of = (table: Ratios, model: string) =>
  Object.hasOwn(table, model) ? table[model] : undefined

export function ratioRows(tables: Readonly<Record<RatioTable, Ratios>>): RatioRow[] {
  const models = new Set(RATIO_TABLES.flatMap((name) => Object.keys(tables[name])))
  return [...models].toSorted().map((model) => {
    const known = RATIO_TABLES.flatMap((name) => {
      const ratio = of(tables[name], model)
      return ratio === undefined ? [] : [[name, ratio] as const]
    })
    return { model, ratios: Object.fromEntries(known) }
  })
}

/** Table text with the model's ratio replaced, or removed if undefined. */
export function withRatio(table: Ratios, model: string, ratio: number | undefined): string {
  const others = Object.entries(table).filter(([name]) => name !== model)
  const place = Object.keys(table).indexOf(model)
  const at = place === -1 ? others.length : place
  const rows = ratio === undefined ? others : others.toSpliced(at, 0, [model, ratio])
  return JSON.stringify(Object.fromEntries(rows), null, 2)
}

/** Undefined for empty input; null for an invalid ratio. */
export function parseRatio(text: string): number | undefined | null {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  const ratio = Number(trimmed)
  return Number.isFinite(ratio) && ratio >= 0 ? ratio : null
}

const MILLION = 1_000_000

/** Dollars per million tokens by kind; undefined where the server determines the factor. */
export function pricesOf({ ratios: own }: RatioRow, quotaPerUnit: number) {
  const { ModelRatio: input } = own
  const dollars = (factor: number | undefined) =>
    input === undefined || factor === undefined
      ? undefined
      : (input * factor * MILLION) / quotaPerUnit
  return {
    ModelRatio: dollars(1),
    CompletionRatio: dollars(own.CompletionRatio),
    CacheRatio: dollars(own.CacheRatio),
    CacheWriteRatio: dollars(own.CacheWriteRatio),
    AudioRatio: dollars(own.AudioRatio),
    AudioCompletionRatio: dollars(own.AudioCompletionRatio),
    ImageRatio: dollars(own.ImageRatio),
  }
}

/** Two to four decimals. */
export function formatPrice(dollars: number): string {
  return `$${dollars.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 4 })}`
}
