import {
  isExactPrice,
  type ModelPriceRow,
  type OwnPrice,
  ownPriceSchema,
  PRICE_PARTS,
  type PricePart,
} from '@tollgate/contract'
import { plainNumber } from '../../lib/format.ts'

/** The texts of the form. Empty fields cost what the price list says in relation to input. */
export type PriceDraft = Record<PricePart | 'per_call' | 'model' | 'from', string>

const NOTHING: PriceDraft = {
  model: '',
  from: '',
  per_call: '',
  input: '',
  output: '',
  cached: '',
  cache_write: '',
  audio_input: '',
  audio_output: '',
  image_input: '',
}

/** A row of the list, which has no more than a name for a model without a price. */
export type EditedRow = ModelPriceRow | { readonly model: string; readonly price: null }

export function draftOf(row: EditedRow | null): PriceDraft {
  if (row === null) return NOTHING
  const texts = Object.entries(row.price ?? {}).map(
    ([part, dollars]) => [part, plainNumber(dollars)] as const,
  )
  return { ...NOTHING, ...Object.fromEntries(texts), model: row.model }
}

type Read = {
  readonly price: { model: string; price: OwnPrice; from?: string } | null
  readonly problems: readonly (keyof PriceDraft)[]
}

const isPrice = (text: string) => /^\d+(?:\.\d+)?$/.test(text.trim()) && isExactPrice(Number(text))

export function readDraft(draft: PriceDraft): Read {
  const filled = ([...PRICE_PARTS, 'per_call'] as const).filter((part) => draft[part].trim() !== '')
  const isCall = filled.includes('per_call')
  const needed: readonly (keyof PriceDraft)[] = isCall ? ['model'] : ['model', 'input', 'output']
  const problems = [
    ...needed.filter((field) => draft[field].trim() === ''),
    ...filled.filter((part) => !isPrice(draft[part])),
  ]
  if (problems.length > 0) return { price: null, problems }
  const numbers = Object.fromEntries(filled.map((part) => [part, Number(draft[part])]))
  const parsed = ownPriceSchema.safeParse(isCall ? { per_call: numbers['per_call'] } : numbers)
  if (!parsed.success) return { price: null, problems: [isCall ? 'per_call' : 'input'] }
  const from = draft.from === '' ? {} : { from: draft.from }
  return { price: { model: draft.model.trim(), price: parsed.data, ...from }, problems: [] }
}
