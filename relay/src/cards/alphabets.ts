import type { ProviderDialect } from '../provider.ts'

/** What a provider accepts as the name of a tool or the id of a call. */
export type Alphabet = { readonly pattern: RegExp; readonly lengthMax: number }

/** OpenAI's rule, which most providers with OpenAI's form share (cline/cline#11885). */
const OPENAI_NAMES: Alphabet = { pattern: /^[\w-]+$/, lengthMax: 64 }
const ANTHROPIC_NAMES: Alphabet = { pattern: /^[\w-]+$/, lengthMax: 128 }
/** Gemini's page "Function calling", packit/ai-workflows#619. */
const GEMINI_NAMES: Alphabet = { pattern: /^[A-Za-z_][\w.-]*$/, lengthMax: 64 }
/** MoonshotAI/kimi-cli#2531. */
const KIMI_NAMES: Alphabet = { pattern: /^[A-Za-z_][\w-]*$/, lengthMax: 64 }

/** OpenAI has accepted 40 and 64 characters, by model (openclaw/openclaw#875). */
const OPENAI_IDS: Alphabet = { pattern: /^[\w-]+$/, lengthMax: 40 }
const OTHER_IDS: Alphabet = { pattern: /^[\w-]+$/, lengthMax: 64 }
/** No length limit is known (cline/cline#8942). */
export const ANTHROPIC_IDS: Alphabet = { pattern: /^[\w-]+$/, lengthMax: 256 }

const OPENAI_MODELS = /(?:^|\/)(?:gpt|chatgpt|codex|o\d)/i
const KIMI = /kimi|moonshot/i

export const isKimi = (model: string): boolean => KIMI.test(model)

type Target = { readonly dialect: ProviderDialect; readonly model: string }

export function toolNamesOf({ dialect, model }: Target): Alphabet {
  if (dialect === 'anthropic') return ANTHROPIC_NAMES
  if (dialect === 'gemini') return GEMINI_NAMES
  return isKimi(model) ? KIMI_NAMES : OPENAI_NAMES
}

/** Null where any id is accepted. Kimi answers best to its own ids, such as `functions.Read:0`. */
export function callIdsOf({ dialect, model }: Target): Alphabet | null {
  if (dialect === 'anthropic') return ANTHROPIC_IDS
  if (dialect === 'gemini' || isKimi(model)) return null
  return OPENAI_MODELS.test(model) ? OPENAI_IDS : OTHER_IDS
}
