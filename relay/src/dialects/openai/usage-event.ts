import { type JsonRecord, writtenOut } from '../../json-value.ts'
import type { StreamHead } from './stream.ts'

/** The event with which a stream says what it used, for those who asked for it. */
export function usageEvent(
  head: StreamHead & { readonly model: string },
  { promptTokens, completionTokens }: { promptTokens: number; completionTokens: number },
  /** The same as its provider told it, with all its details. */
  told: JsonRecord | null = null,
): string {
  const counted = {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  }
  const eventOf = (usage: object) =>
    writtenOut({ ...head, object: 'chat.completion.chunk', choices: [], usage })
  // What is nested too deep cannot be written out.
  return `data: ${(told && eventOf(told)) || eventOf(counted)}\n\n`
}

/** The event of a stream that has said no more than this text. */
export function textEvent(head: StreamHead & { readonly model: string }, content: string): string {
  const choices = [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }]
  return `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices })}\n\n`
}
