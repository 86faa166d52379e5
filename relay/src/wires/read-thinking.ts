import { isRecord, textOf } from '../bytes/json-value.ts'
import type { AnswerBuilder } from '../form/answer-builder.ts'
import type { ListReader } from '../form/content-cipher.ts'
import type { Loss } from '../form/request.ts'
import { decryptDetails, isOwnSignature } from './openai-chat/reasoning-details.ts'

export type Turn = {
  readonly answer: AnswerBuilder
  /** By id of a tool call. */
  readonly signatures: Map<string, unknown>
  readonly reader: ListReader & { readonly losses: Set<Loss> }
}

/** A block of reasoning of an earlier answer. */
export function readThinking({ answer, signatures, reader }: Turn, block: unknown): void {
  const { type, thinking, signature, data } = isRecord(block) ? block : {}
  if (type === 'redacted_thinking') {
    if (textOf(data) !== '') answer.addThinking({ type, data })
  } else if (isOwnSignature(signature)) {
    answer.reasoning += textOf(thinking)
    const entries = decryptDetails(textOf(signature), reader)
    if (entries === null) reader.losses.add('reasoning')
    for (const entry of entries ?? []) {
      if (entry['type'] === 'tool_call') signatures.set(textOf(entry['id']), entry['extra_content'])
      else answer.addDetail(entry)
    }
  } else if (textOf(signature) === '') answer.reasoning += textOf(thinking)
  else answer.addThinking({ type, thinking, signature })
}
