import type { ProviderDialect } from '../provider.ts'
import { cardOf } from './card-of.ts'
import type { Alphabet } from './model-card.ts'

/** OpenAI's rule, which most providers with OpenAI's form share (cline/cline#11885). */
export const OPENAI_NAMES: Alphabet = { pattern: /^[\w-]+$/, lengthMax: 64 }
export const ANTHROPIC_NAMES: Alphabet = { pattern: /^[\w-]+$/, lengthMax: 128 }
/** Gemini's page "Function calling", packit/ai-workflows#619. */
const GEMINI_NAMES: Alphabet = { pattern: /^[A-Za-z_][\w.-]*$/, lengthMax: 64 }
/** MoonshotAI/kimi-cli#2531. */
const KIMI_NAMES: Alphabet = { pattern: /^[A-Za-z_][\w-]*$/, lengthMax: 64 }

/** OpenAI has accepted 40 and 64 characters, by model (openclaw/openclaw#875). */
const OPENAI_IDS: Alphabet = { pattern: /^[\w-]+$/, lengthMax: 40 }
const OTHER_IDS: Alphabet = { pattern: /^[\w-]+$/, lengthMax: 64 }
/** Templates of Mistral's models refuse others, at any server (vllm-project/vllm#10821). */
export const MISTRAL_IDS: Alphabet = { pattern: /^[A-Za-z\d]{9}$/, lengthMax: 9 }
/** No length limit is known (cline/cline#8942). */
export const ANTHROPIC_IDS: Alphabet = { pattern: /^[\w-]+$/, lengthMax: 256 }

/** What a provider accepts of tools and their calls, and what its codec leaves to `fit`. */
export type WireRules = {
  readonly names: Alphabet
  /** Null where any id is accepted. */
  readonly ids: Alphabet | null
  /** No two calls may have the same id, which some providers restart in every turn. */
  readonly hasUniqueIds: boolean
  /** `objects`: objects without a union at the top. The writers of other wires fit schemas. */
  readonly schemas: 'any' | 'objects' | 'kimi'
  /** Settings, reasoning and content follow the model's card. */
  readonly isNearChat: boolean
  /** Reasoning that Responses encrypted comes back as it is. */
  readonly takesStoredReasoning: boolean
}

const CHAT = {
  names: OPENAI_NAMES,
  ids: OTHER_IDS,
  hasUniqueIds: false,
  schemas: 'any',
  isNearChat: true,
  takesStoredReasoning: false,
} as const satisfies WireRules

const WIRES = {
  anthropic: {
    ...CHAT,
    names: ANTHROPIC_NAMES,
    ids: ANTHROPIC_IDS,
    hasUniqueIds: true,
    isNearChat: false,
  },
  gemini: { ...CHAT, names: GEMINI_NAMES, ids: null, isNearChat: false },
  /** HKUDS/nanobot#1623 */
  responses: { ...CHAT, hasUniqueIds: true, schemas: 'objects', takesStoredReasoning: true },
} as const satisfies Readonly<Record<string, WireRules>>

const OPENAI: WireRules = { ...CHAT, ids: OPENAI_IDS, schemas: 'objects' }
/** It answers best to its own ids, such as `functions.Read:0`. */
const KIMI: WireRules = { ...CHAT, names: KIMI_NAMES, ids: null, schemas: 'kimi' }
const MISTRAL: WireRules = { ...CHAT, ids: MISTRAL_IDS }

type Target = {
  readonly dialect: ProviderDialect
  readonly model: string
  readonly requiresShortCallIds?: true
}

export function wireRulesOf(target: Target): WireRules {
  const { dialect } = target
  if (dialect === 'anthropic' || dialect === 'gemini' || dialect === 'responses') {
    return WIRES[dialect]
  }
  // Codecs of other dialects know what their vendors accept.
  const isNearChat = dialect === 'openai'
  return { ...chatRules(target), isNearChat }
}

function chatRules({ dialect, model, requiresShortCallIds: hasShortIds }: Target): WireRules {
  if (dialect === 'azure') return OPENAI
  if (hasShortIds === true) return MISTRAL
  switch (cardOf('unknown', model).vendor) {
    case 'moonshot':
      return KIMI
    case 'openai':
      return OPENAI
    case 'mistral':
      return MISTRAL
    default:
      return CHAT
  }
}
