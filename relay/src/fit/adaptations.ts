import { isRecord, type JsonRecord, member } from '../bytes/json-value.ts'
import { type Block, type ChatForm, reasons } from '../form/request.ts'

/** Settings in OpenAI's form that a provider may lack, or accept with other values only. */
const SETTINGS = [
  'temperature',
  'top_p',
  'top_k',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'stop',
  'user',
  'verbosity',
  'service_tier',
  'prompt_cache_key',
  'reasoning_effort',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'safety_settings',
] as const

export const ADAPTATIONS = [
  ...SETTINGS,
  'max_tokens',
  'messages',
  'reasoning',
  'system',
  'media',
  'tools',
  'tool_names',
  'tool_ids',
  'tool_results',
  'tool_schemas',
  'other_members',
] as const

/** What a request says and its provider gets changed or not at all. */
export type Adaptation = (typeof ADAPTATIONS)[number]

/** Collects the adaptations of one attempt in its record. */
export class Adaptations {
  readonly #record: { adapted?: string[] | undefined }

  constructor(record: { adapted?: string[] | undefined }) {
    this.#record = record
  }

  note(adaptation: Adaptation): void {
    const noted = (this.#record.adapted ??= [])
    if (!noted.includes(adaptation)) noted.push(adaptation)
  }
}

/** Notes the settings of `given` that `sent` lacks or changes. Both are in OpenAI's form. */
export function noteSettings(
  adaptations: Adaptations | undefined,
  given: JsonRecord,
  sent: JsonRecord,
): void {
  if (adaptations === undefined) return
  // Vendors have members of their own to switch reasoning off.
  const isOff = member(sent['thinking'], 'type') === 'disabled' || sent['enable_thinking'] === false
  const told = isOff ? { ...sent, reasoning_effort: 'none' } : sent
  for (const name of SETTINGS) {
    const value = given[name] ?? null
    if (!isDefault(name, value) && !isSame(value, told[name])) adaptations.note(name)
  }
  const limit = limitOf(given)
  if (limit !== null && limit !== limitOf(sent)) adaptations.note('max_tokens')
}

/** Whether a provider does the same without the setting. */
function isDefault(name: (typeof SETTINGS)[number], value: unknown): boolean {
  if (value === null || value === 'auto') return true
  if (name === 'parallel_tool_calls') return value !== false
  if (Array.isArray(value)) return value.length === 0
  if (isRecord(value)) return value['type'] === 'text' || Object.keys(value).length === 0
  return value === false || (value === 0 && !ZERO_MATTERS.has(name))
}

const ZERO_MATTERS: ReadonlySet<string> = new Set(['temperature', 'top_p', 'seed'])

const isSame = (one: unknown, other: unknown) =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

function limitOf(json: JsonRecord): number | null {
  const given = [json['max_completion_tokens'], json['max_tokens']]
  const limits = given.filter((value) => typeof value === 'number')
  return limits.length === 0 ? null : Math.max(...limits)
}

/** Notes what `fit` has changed of a request, but for its tools. */
export function noteFormChanges(adaptations: Adaptations, given: ChatForm, sent: ChatForm): void {
  noteSettings(adaptations, given.settings, sent.settings)
  const [before, after] = [countsOf(given), countsOf(sent)]
  if (after.reasoning < before.reasoning) adaptations.note('reasoning')
  if (after.system !== before.system) adaptations.note('system')
  if (after.media < before.media) adaptations.note('media')
}

/** How many messages have reasoning and are of the system, and how many blocks are no texts. */
const countsOf = ({ messages }: ChatForm) => ({
  reasoning: messages.filter(reasons).length,
  system: messages.filter(({ role }) => role === 'system').length,
  media: messages.flatMap(({ role, blocks }) =>
    role === 'assistant' ? [] : blocks.filter(isMedia),
  ).length,
})

const isMedia = ({ type }: Block) => type !== 'text'
