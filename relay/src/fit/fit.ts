import { member } from '../bytes/json-value.ts'
import type { WireRules } from '../cards/alphabets.ts'
import type { ModelCard } from '../cards/model-card.ts'
import { type ChatForm, textBlock } from '../form/request.ts'
import { type Adaptation, Adaptations, noteFormChanges } from './adaptations.ts'
import { fitContent } from './content.ts'
import { withDeclaredCalls } from './declared-calls.ts'
import { fitTools } from './fit-tools.ts'
import type { Renames } from './names.ts'
import { fitReasoningBack } from './reasoning-back.ts'
import { fitReasoning } from './reasoning.ts'
import { FOREIGN_REASONING, requestedReasoning } from './requested-reasoning.ts'
import { rejectSchema, fitSettings } from './settings.ts'
import { withSettings } from './with-changes.ts'

export type Fitted = {
  readonly form: ChatForm
  /** The provider's names of tools by the client's; empty if no name changes. */
  readonly renames: Renames
  /** What the provider gets changed. */
  readonly notes: readonly Adaptation[]
}

/**
 * Adapts a request of another wire to what the wire and the model's vendor accept. A fitted form
 * stays as it is. Throws `UnsupportedParameterError` for a setting without which the answer would
 * be another.
 */
export function fit(given: ChatForm, card: ModelCard, rules: WireRules): Fitted {
  const record: { adapted?: Adaptation[] } = {}
  const notes = new Adaptations(record)
  const { form, renames } = fitTools(given, rules, notes)
  const fitted = rules.isNearChat ? fitChat(form, card, rules) : form
  if (fitted !== form) noteFormChanges(notes, form, fitted)
  return { form: fitted, renames, notes: record.adapted ?? [] }
}

/** Members of other APIs that chat completions and Responses do not have. */
const FOREIGN = { cache_control: undefined, safety_settings: undefined, top_k: undefined }
/** Hints that only OpenAI accepts. */
const OPENAI_HINTS = { prompt_cache_key: undefined, verbosity: undefined }

function fitChat(given: ChatForm, card: ModelCard, rules: WireRules): ChatForm {
  const hints = card.vendor === 'openai' ? {} : OPENAI_HINTS
  const { effort } = requestedReasoning(given.settings)
  const plain = withSettings(given, {
    ...FOREIGN,
    ...FOREIGN_REASONING,
    ...hints,
    reasoning_effort: effort,
  })
  if (!card.content.takesAnswerSchemas) rejectSchema(plain.settings)
  const named = withJsonNamed(plain)
  const declared = card.tools.takesUndeclaredCalls ? named : withDeclaredCalls(named)
  const told = fitReasoningBack(fitSettings(fitReasoning(declared, card), card), card, rules)
  return fitContent(told, card)
}

/**
 * OpenAI, DeepSeek and Alibaba refuse `json_object` if no message has the word JSON
 * (browserbase/stagehand#1204). At the end, because vendors cache the beginning of a prompt.
 */
function withJsonNamed(form: ChatForm): ChatForm {
  const { messages, settings } = form
  if (member(settings.response_format, 'type') !== 'json_object') return form
  if (/json/i.test(JSON.stringify(messages))) return form
  const instruction = { role: 'system', blocks: [textBlock('Answer in JSON.')] } as const
  return { ...form, messages: [...messages, instruction] }
}
