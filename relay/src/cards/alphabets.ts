import type { ProviderDialect } from '../provider.ts'
import { cardOf } from './card-of.ts'
import type { Alphabet } from './model-card.ts'

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
/** Templates of Mistral's models refuse others, at any server (vllm-project/vllm#10821). */
export const MISTRAL_IDS: Alphabet = { pattern: /^[A-Za-z\d]{9}$/, lengthMax: 9 }
/** No length limit is known (cline/cline#8942). */
export const ANTHROPIC_IDS: Alphabet = { pattern: /^[\w-]+$/, lengthMax: 256 }

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
const MISTRAL: ToolForm = { names: OPENAI_NAMES, ids: MISTRAL_IDS, schemas: 'any' }
const OTHER: ToolForm = { names: OPENAI_NAMES, ids: OTHER_IDS, schemas: 'any' }

type Target = { readonly dialect: ProviderDialect; readonly model: string }

export function toolFormOf({ dialect, model }: Target): ToolForm {
  if (dialect === 'anthropic') return ANTHROPIC
  if (dialect === 'gemini') return GEMINI
  if (dialect === 'responses') return RESPONSES
  if (dialect === 'azure') return OPENAI
  switch (cardOf('unknown', model).vendor) {
    case 'moonshot':
      return KIMI
    case 'openai':
      return OPENAI
    case 'mistral':
      return MISTRAL
    default:
      return OTHER
  }
}
