import { PRICE_TABLE_DATE, shutdowns } from '@tollgate/contract/prices'
import { cardOf } from './cards/card-of.ts'
import type { Effort, Modality } from './cards/model-card.ts'

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

export function modelFacts(name: string): ModelFacts {
  const { limits, facts, reasoning, isKnown } = cardOf('unknown', name)
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
