import { z } from 'zod'

export type OwnPrice = { model: string; input: number; output: number }

const ratios = z.record(z.string(), z.number())

const TOKENS_PER_PRICE = 1e6

/** The ratio options with this price in dollars, at `unit` quota per dollar. */
export function withPrice(
  tables: ReadonlyMap<string, string>,
  { model, input, output }: OwnPrice,
  unit: number,
): { key: string; value: string }[] {
  const changes = {
    ModelRatio: rounded((input * unit) / TOKENS_PER_PRICE),
    CompletionRatio: input === 0 ? 1 : rounded(output / input),
  }
  return Object.entries(changes).map(([key, ratio]) => {
    const table = ratios.parse(JSON.parse(tables.get(key) ?? '{}'))
    return { key, value: JSON.stringify({ ...table, [model]: ratio }) }
  })
}

/** Charges use nine decimals of a ratio. */
const rounded = (ratio: number) => Math.round(ratio * 1e9) / 1e9
