import { z } from 'zod'
import { roundedRatio } from '@tollgate/contract'

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
    ModelRatio: roundedRatio((input * unit) / TOKENS_PER_PRICE),
    CompletionRatio: input === 0 ? 1 : roundedRatio(output / input),
  }
  return Object.entries(changes).map(([key, ratio]) => {
    const table = ratios.parse(JSON.parse(tables.get(key) ?? '{}'))
    return { key, value: JSON.stringify({ ...table, [model]: ratio }) }
  })
}
