import { type JsonRecord, stringifyOrEmpty } from '../../json-value.ts'
import type { StreamHead } from './stream.ts'

export function usageEvent(
  head: StreamHead & { readonly model: string },
  { promptTokens, completionTokens }: { promptTokens: number; completionTokens: number },
  /** The usage object as the provider reported it. */
  reported: JsonRecord | null = null,
): string {
  const counted = {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  }
  const eventOf = (usage: object) =>
    stringifyOrEmpty({ ...head, object: 'chat.completion.chunk', choices: [], usage })
  // A usage nested too deep cannot be written as JSON.
  return `data: ${(reported && eventOf(reported)) || eventOf(counted)}\n\n`
}

/** An event whose only output is this text. */
export function textEvent(head: StreamHead & { readonly model: string }, content: string): string {
  const choices = [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }]
  return `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices })}\n\n`
}
