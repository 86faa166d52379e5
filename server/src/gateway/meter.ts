import type { ChargeBasis } from '@tollgate/contract'
import {
  countOptions,
  countPrompt,
  countText,
  NO_USAGE,
  type OutputForCounting,
  type RelayRequest,
  type Usage,
} from '@tollgate/relay'

export type Metered = { usage: Usage; source: ChargeBasis['usage_source'] }

type Output = {
  /** What the upstream reported, if anything. */
  reported: Usage | null
  /** Nothing of the answer is missing, so the report can be whole too. */
  complete: boolean
  text: () => OutputForCounting
  /** The answer itself, for what is not measured by its text; null while there is none. */
  body: Buffer | null
}

type Counting = { readonly model: string; readonly approximate: boolean }

/**
 * The tokens to charge: as reported, else counted. A report from the middle of an answer tells the
 * prompt, and of the output at least what it had seen.
 */
export async function meter(
  request: RelayRequest,
  { reported, complete, text, body }: Output,
  how: Counting & { readonly completionRatio: number },
): Promise<Metered> {
  if (request.task !== undefined) {
    const { task } = request
    return reported === null || task.paysTokens?.(how) === false
      ? { source: 'counted', usage: await task.measure(body, how) }
      : { source: 'reported', usage: reported }
  }
  if (reported === null) {
    const promptTokens = await countPrompt(request, {
      ...countOptions(how.approximate),
      model: how.model,
    })
    const completionTokens = await countOutput(text(), how)
    return { source: 'counted', usage: { ...NO_USAGE, promptTokens, completionTokens } }
  }
  if (complete && (reported.completionTokens > 0 || request.endpoint === 'embeddings')) {
    return { source: 'reported', usage: reported }
  }
  const completionTokens = await countOutput(text(), how)
  if (completionTokens <= reported.completionTokens) return { source: 'reported', usage: reported }
  return { source: 'counted', usage: { ...reported, completionTokens } }
}

/** The tokens of what a model said. */
export async function countOutput(
  { text, tokensBeyond }: OutputForCounting,
  how: Counting,
): Promise<number> {
  if (text === '') return tokensBeyond
  return tokensBeyond + (await countText(how.model, text, countOptions(how.approximate)))
}
