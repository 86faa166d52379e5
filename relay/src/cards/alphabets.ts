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
const KIMI_MODELS = /kimi|moonshot/i

/** What a provider accepts of tools and their calls. */
type ToolForm = {
  readonly names: Alphabet
  /** Null where any id is accepted. */
  readonly ids: Alphabet | null
  /** `objects`: objects without a union at the top. The codecs of other wires fit schemas. */
  readonly schemas: 'any' | 'objects' | 'kimi'
}

const ANTHROPIC: ToolForm = { names: ANTHROPIC_NAMES, ids: ANTHROPIC_IDS, schemas: 'any' }
const GEMINI: ToolForm = { names: GEMINI_NAMES, ids: null, schemas: 'any' }
/** It answers best to its own ids, such as `functions.Read:0`. */
const KIMI: ToolForm = { names: KIMI_NAMES, ids: null, schemas: 'kimi' }
const OPENAI: ToolForm = { names: OPENAI_NAMES, ids: OPENAI_IDS, schemas: 'objects' }
/** HKUDS/nanobot#1623 */
const RESPONSES: ToolForm = { names: OPENAI_NAMES, ids: OTHER_IDS, schemas: 'objects' }
const OTHER: ToolForm = { names: OPENAI_NAMES, ids: OTHER_IDS, schemas: 'any' }

type Target = { readonly dialect: ProviderDialect; readonly model: string }

export function toolFormOf({ dialect, model }: Target): ToolForm {
  if (dialect === 'anthropic') return ANTHROPIC
  if (dialect === 'gemini') return GEMINI
  if (dialect === 'responses') return RESPONSES
  if (KIMI_MODELS.test(model)) return KIMI
  return dialect === 'azure' || OPENAI_MODELS.test(model) ? OPENAI : OTHER
}
