import { PRICE_TABLE_DATE, shutdowns } from '@tollgate/contract/prices'
import { cardOf, type CardLookup } from './card-of.ts'
import type { Effort, Modality } from './model-card.ts'

/** What lists of models say about a model. Null and empty lists mean that it is unknown. */
export type ModelFacts = {
  readonly contextTokens: number | null
  readonly outputTokens: number | null
  readonly inputs: readonly Modality[]
  readonly outputs: readonly Modality[]
  /** Accepted reasoning efforts, weakest first. */
  readonly efforts: readonly Effort[]
  /** The first day on which the vendor no longer serves the model, as `2026-10-23`. */
  readonly shutdown: string | null
}

type Served = {
  /** The model's name at the provider. */
  readonly mapped?: string
  readonly cards?: CardLookup
}

/** The facts of the provider's model; those of the client's name if the provider's is unknown. */
export function modelFacts(
  name: string,
  { mapped = name, cards = cardOf }: Served = {},
): ModelFacts {
  const served = cards('unknown', mapped)
  const card = served.isKnown ? served : cards('unknown', name)
  const { limits, facts, reasoning, isKnown } = card.isKnown ? card : served
  return {
    contextTokens: limits.context,
    outputTokens: limits.output,
    inputs: isKnown ? facts.input : [],
    outputs: isKnown ? facts.output : [],
    efforts: reasoning.efforts ?? [],
    shutdown: facts.shutdown ?? comingShutdown(name),
  }
}

/** After the day, only other hosts can serve the model, and they set days of their own. */
function comingShutdown(name: string): string | null {
  const day = shutdowns.get(name)
  return day === undefined || day <= PRICE_TABLE_DATE ? null : day
}
