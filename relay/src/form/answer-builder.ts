import { isRecord, omit } from '../bytes/json-value.ts'
import { type Position, inOrder, positionOf } from './position.ts'
import {
  type AssistantBlock,
  type AssistantMessage,
  type ImageBlock,
  textBlocks,
  type ToolCall,
} from './request.ts'

type PlacedSeal = { readonly items: readonly AssistantBlock[]; readonly after: Position }

/** Gathers an earlier answer of the assistant. */
export class AnswerBuilder {
  text = ''
  reasoning = ''
  /** The provider's signature of the text. */
  signature: unknown
  readonly calls: ToolCall[] = []
  readonly images: ImageBlock[] = []
  readonly #seals: PlacedSeal[] = []

  /** A signed block of reasoning, which stands here. */
  addThinking(value: unknown): void {
    const after = { text: this.text.length, toolCalls: this.calls.length }
    this.#seals.push({ items: [{ type: 'seal', seal: { kind: 'thinking_block', value } }], after })
  }

  /** An entry of `reasoning_details`, which states its place. */
  addDetail(entry: unknown): void {
    const value = isRecord(entry) ? omit(entry, 'after') : entry
    const seal = { kind: 'reasoning_detail', value } as const
    this.#seals.push({ items: [{ type: 'seal', seal }], after: positionOf(entry) })
  }

  /** Null if nothing was said. */
  message(): AssistantMessage | null {
    const { text, reasoning, calls, images, signature } = this
    if (text === '' && calls.length === 0 && images.length === 0) return null
    const blocks = inOrder<AssistantBlock>({
      textBetween: (start, end) => [
        ...textBlocks(text.slice(start, end)),
        ...(end === Infinity ? images : []),
      ],
      calls,
      reasoning: this.#seals,
    })
    return { role: 'assistant', reasoning, blocks, signature }
  }
}
