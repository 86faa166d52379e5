import type { VendorRows } from '../model-card.ts'

/* Vendors that serve the models of others. */

export const azureRows: VendorRows = { vendor: 'azure', card: {}, rows: [] }

export const baiduRows: VendorRows = {
  vendor: 'baidu',
  models: /^ernie/,
  card: {},
  rows: [],
  host: {
    card: { content: { userId: { pattern: /^/, lengthMin: 1, lengthMax: 64 } } },
    rows: [],
  },
}

export const tencentRows: VendorRows = {
  vendor: 'tencent',
  models: /^hunyuan|^hy\d/,
  card: {},
  rows: [],
}

export const cerebrasRows: VendorRows = {
  vendor: 'cerebras',
  card: {},
  rows: [],
  host: {
    card: {
      reasoning: { offMember: 'reasoning_effort' },
      // maximhq/bifrost#4544: the member is refused.
      reasoningBack: { policy: 'ignored' },
    },
    rows: [],
  },
}

const GROQ_PAGES = 'https://console.groq.com/docs/reasoning'

export const groqRows: VendorRows = {
  vendor: 'groq',
  models: /^compound/,
  card: {},
  rows: [],
  host: {
    card: {
      reasoning: { efforts: [], offMember: 'reasoning_effort' },
      // janhq/jan#8136: the member is refused.
      reasoningBack: { policy: 'ignored' },
      // console.groq.com/docs/api-reference
      sampling: { stops: 4 },
      // BerriAI/litellm#11001
      tools: { forcedWhileReasoning: 'all', takesUndeclaredCalls: false },
    },
    rows: [
      {
        family: /^gpt-oss/,
        source: GROQ_PAGES,
        card: {
          limits: { context: 131_072, outputSetting: 65_536 },
          reasoning: { efforts: ['low', 'medium', 'high'], canBeOff: false, isDefault: true },
        },
      },
      {
        family: /^qwen3\.6/,
        source: GROQ_PAGES,
        card: {
          limits: { outputSetting: 16_384 },
          reasoning: { efforts: ['none'], isDefault: true },
        },
      },
    ],
  },
}

/** OpenRouter writes settings in each vendor's form, and wants its own form of reasoning back. */
export const openrouterRows: VendorRows = {
  vendor: 'openrouter',
  card: {},
  rows: [],
  host: {
    card: {
      limits: { outputMember: 'max_tokens' },
      reasoning: {
        inChat: 'all',
        efforts: null,
        offMember: 'reasoning_effort',
        needsStream: false,
      },
      reasoningBack: { member: 'reasoning', takesDetails: true, takesSignatures: false },
      tools: { forcedWhileReasoning: 'all' },
      content: {
        takesTextLists: true,
        system: 'any',
        takesTextOnly: false,
        // ujisati/claude-code-provider-proxy#11
        userId: { pattern: /^/, lengthMin: 1, lengthMax: 128 },
      },
    },
    rows: [],
  },
}
