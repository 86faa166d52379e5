import type { ModelCard } from '../cards/model-card.ts'
import { isRecord, type JsonRecord, listOf, member, textOf } from '../json-value.ts'
import { signatureMember, signatureOf } from '../providers/google-gemini/signatures.ts'
import { isStoredReasoning } from '../providers/openai-responses/reasoning.ts'
import { withChanges } from './with-changes.ts'

/** Earlier reasoning of the assistant, as far as the model's vendor wants it back. */
export function fitReasoningBack(json: JsonRecord, card: ModelCard): JsonRecord {
  const { messages } = json
  if (!Array.isArray(messages)) return json
  const isOff = turnsReasoningOff(json)
  const fitted = messages.map((message: unknown) =>
    isRecord(message) && message['role'] === 'assistant'
      ? fitAnswer(message, card, isOff)
      : message,
  )
  return { ...json, messages: fitted }
}

export const turnsReasoningOff = ({
  thinking,
  enable_thinking: isEnabled,
  reasoning_effort: effort,
}: JsonRecord): boolean =>
  member(thinking, 'type') === 'disabled' || isEnabled === false || effort === 'none'

function fitAnswer(message: JsonRecord, card: ModelCard, isOff: boolean): JsonRecord {
  const { reasoningBack: back } = card
  const calls = listOf(message['tool_calls'])
  const isWelcome = back.policy === 'welcome' || back.policy === 'required_with_calls'
  const isRequired = back.policy === 'required_with_calls' && calls.length > 0 && !isOff
  const lost = isRequired ? (back.placeholder ?? '') : ''
  const reasoning = isWelcome ? reasoningIn(message) || lost : ''
  const details = back.takesDetails ? vendorDetails(message) : undefined
  const isSigned = !signsCalls(card) || details !== undefined || signatureOf(calls[0]) !== ''
  return withChanges(message, {
    thinking_blocks: undefined,
    reasoning_content: undefined,
    ...(reasoning === '' ? {} : { [back.member]: reasoning }),
    reasoning_details: details,
    ...(isSigned || calls.length === 0
      ? {}
      : { tool_calls: withSignature(calls, back.placeholder) }),
  })
}

/** Without reasoning that only the Responses API takes back. */
function vendorDetails({ reasoning_details: details }: JsonRecord): unknown {
  if (!Array.isArray(details)) return details
  const own = details.filter((entry) => !isStoredReasoning(entry))
  return own.length === 0 ? undefined : own
}

function reasoningIn(message: JsonRecord): string {
  const own = textOf(message['reasoning_content'])
  if (own !== '') return own
  return listOf(message['thinking_blocks'])
    .map((block) => textOf(member(block, 'thinking')))
    .join('')
}

const signsCalls = ({ tools, reasoningBack }: ModelCard) =>
  tools.signsCalls && reasoningBack.takesSignatures

/** Only the first of several parallel calls is signed. */
function withSignature(calls: readonly unknown[], signature: string | null): unknown[] {
  const [first, ...others] = calls
  const signed = isRecord(first) ? { ...first, ...signatureMember(signature ?? '') } : first
  return [signed, ...others]
}
