import { contextWindow } from './context-window.ts'
import { maxOutputTokens } from './max-output-tokens.ts'
import { memoize } from './memoize.ts'

/** What lists of models say about a model. Null and empty lists mean that it is unknown. */
export type ModelFacts = {
  readonly contextTokens: number | null
  readonly outputTokens: number | null
  /** `text`, `image`, `audio`, `video`, `pdf`. */
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  /** Accepted reasoning efforts, weakest first. */
  readonly efforts: readonly string[]
  /** The first day on which the vendor no longer serves the model, as `2026-10-23`. */
  readonly shutdown: string | null
}

export const modelFacts = memoize((name): ModelFacts => ({
  contextTokens: contextWindow(name),
  outputTokens: maxOutputTokens(name),
  inputs: [],
  outputs: [],
  efforts: [],
  shutdown: null,
}))
