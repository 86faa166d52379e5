import { type JsonRecord, member, textOf } from '../bytes/json-value.ts'
import type { WireRules } from '../cards/alphabets.ts'
import type { ModelCard } from '../cards/model-card.ts'
import {
  type AssistantBlock,
  type AssistantMessage,
  type ChatForm,
  sealsOf,
} from '../form/request.ts'
import { googleSignature, signatureValue } from './google-signatures.ts'
import { isStoredReasoning, ownReasoning } from './stored-reasoning.ts'

/** Earlier reasoning of the assistant, as far as the model's vendor wants it back. */
export function fitReasoningBack(form: ChatForm, card: ModelCard, rules: WireRules): ChatForm {
  const isOff = turnsReasoningOff(form.settings)
  const { model } = form.settings
  const messages = form.messages.map((message) =>
    message.role === 'assistant' ? fitAnswer(message, card, { isOff, model, ...rules }) : message,
  )
  return { ...form, messages }
}

export const turnsReasoningOff = ({
  thinking,
  enable_thinking: isEnabled,
  reasoning_effort: effort,
}: JsonRecord): boolean =>
  member(thinking, 'type') === 'disabled' || isEnabled === false || effort === 'none'

function fitAnswer(
  message: AssistantMessage,
  { reasoningBack: back, tools }: ModelCard,
  { isOff, model, takesStoredReasoning }: { isOff: boolean; model: string } & WireRules,
): AssistantMessage {
  const calls = message.blocks.filter((block) => block.type === 'tool-call')
  const isWelcome = back.policy === 'welcome' || back.policy === 'required_with_calls'
  const isRequired = back.policy === 'required_with_calls' && calls.length > 0 && !isOff
  const lost = isRequired ? (back.placeholder ?? '') : ''
  const isAccepted = (block: AssistantBlock): boolean => {
    if (block.type !== 'seal') return true
    const { kind, value } = block.seal
    if (kind !== 'reasoning_detail') return false
    if (!isStoredReasoning(value)) return back.takesDetails
    return takesStoredReasoning && ownReasoning(block.seal, model) !== null
  }
  const blocks = message.blocks.filter(isAccepted)
  const { takesSignatures } = back
  const hasDetails = blocks.some(
    (block) => block.type === 'seal' && !isStoredReasoning(block.seal.value),
  )
  const isSigned = !tools.signsCalls || hasDetails || googleSignature(calls[0]?.signature) !== ''
  const placeholder = isSigned ? undefined : signatureValue(back.placeholder ?? '')
  return {
    ...message,
    reasoning: isWelcome ? reasoningIn(message) || lost : '',
    blocks: blocks.map((block) => {
      if (block.type !== 'tool-call' && block.type !== 'image') return block
      if (!takesSignatures) return { ...block, signature: undefined }
      // Only the first of several parallel calls is signed.
      return block === calls[0] && !isSigned ? { ...block, signature: placeholder } : block
    }),
    signature: takesSignatures ? message.signature : undefined,
  }
}

function reasoningIn({ reasoning, blocks }: AssistantMessage): string {
  if (reasoning !== '') return reasoning
  return sealsOf(blocks, 'thinking_block')
    .map((value) => textOf(member(value, 'thinking')))
    .join('')
}
