import type { ChargeBasis } from '@tollgate/contract'
import {
  countPrompt,
  countText,
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
}

/**
 * The tokens to charge: as reported, else counted. A report from the middle of an answer tells the
 * prompt, and of the output at least what it had seen.
 */
export async function meter(
  request: RelayRequest,
  { reported, complete, text }: Output,
  { model, approximate }: { model: string; approximate: boolean },
): Promise<Metered> {
  const counted = approximate ? { exactBytesMax: 0 } : {}
  const countOutput = async () => {
    const output = text()
    return output.tokensBeyond + (await countText(model, output.text, counted))
  }
  if (reported === null) {
    const promptTokens = await countPrompt(request, { ...counted, model })
    return {
      source: 'counted',
      usage: { ...NO_USAGE, promptTokens, completionTokens: await countOutput() },
    }
  }
  if (complete && (reported.completionTokens > 0 || request.endpoint === 'embeddings')) {
    return { source: 'reported', usage: reported }
  }
  const completionTokens = await countOutput()
  if (completionTokens <= reported.completionTokens) return { source: 'reported', usage: reported }
  return { source: 'counted', usage: { ...reported, completionTokens } }
}

const NO_USAGE: Usage = {
  promptTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
}
