import { type CardPart, type VendorRows, rowFrom } from '../model-card.ts'

/* Vendors that serve the models of others. */

export const azureRows: VendorRows = { vendor: 'azure' }

export const baiduRows: VendorRows = {
  vendor: 'baidu',
  models: /^ernie/,
  host: {
    card: { content: { userId: { pattern: /^/, lengthMin: 1, lengthMax: 64 } } },
  },
}

export const tencentRows: VendorRows = {
  vendor: 'tencent',
  models: /^hunyuan|^hy\d/,
}

export const cerebrasRows: VendorRows = {
  vendor: 'cerebras',
  host: {
    card: {
      reasoning: { offMember: 'reasoning_effort' },
      // maximhq/bifrost#4544: the member is refused.
      reasoningBack: { policy: 'ignored' },
    },
  },
}

const cohereRow = rowFrom('https://docs.cohere.com/docs/models')

/** Its API with OpenAI's form. */
export const cohereRows: VendorRows = {
  vendor: 'cohere',
  host: {
    card: {
      // docs.cohere.com/docs/compatibility-api
      reasoning: { efforts: ['none', 'high'] },
      sampling: { temperature: { min: 0, max: 1 }, topP: { min: 0.01, max: 0.99 }, stops: 5 },
      reasoningBack: { policy: 'ignored' },
      tools: {
        // Strict ones need a required parameter each (docs.cohere.com/docs/structured-outputs).
        takesStrict: false,
        takesNoParameters: false,
        // tashfeenahmed/freellmapi, server/src/providers/cohere.ts
        takesSchemaIds: false,
        takesAdditionalProperties: false,
      },
      // As its own API v2: BerriAI/litellm#24031, agno-agi/agno#3503.
      content: { takesUnknownMembers: false },
    },
    rows: [
      cohereRow(/^command-r/, { limits: { outputSetting: 4096 } }),
      cohereRow(/^command-a(?:-03|-vision|-translate|$)/, { limits: { outputSetting: 8000 } }),
    ],
  },
}

const groqRow = rowFrom('https://console.groq.com/docs/reasoning')

/** groq-sdk 1.6: models that reason take it back. */
const GROQ_REASONING = { policy: 'welcome', member: 'reasoning' } as const

const GROQ_QWEN: CardPart = {
  reasoning: { efforts: ['none'], isDefault: true },
  reasoningBack: GROQ_REASONING,
}

export const groqRows: VendorRows = {
  vendor: 'groq',
  models: /^compound/,
  host: {
    card: {
      reasoning: { efforts: [], offMember: 'reasoning_effort' },
      reasoningBack: { policy: 'ignored' },
      // janhq/jan#8136, ServiceStack/llms#17
      content: { takesUnknownMembers: false },
      // console.groq.com/docs/api-reference
      sampling: { stops: 4 },
      // BerriAI/litellm#11001
      tools: { forcedWhileReasoning: 'all', takesUndeclaredCalls: false },
    },
    rows: [
      groqRow(/^gpt-oss/, {
        limits: { context: 131_072, outputSetting: 65_536 },
        reasoning: { efforts: ['low', 'medium', 'high'], canBeOff: false, isDefault: true },
        reasoningBack: GROQ_REASONING,
      }),
      groqRow(/^qwen3\./, { ...GROQ_QWEN, limits: { outputSetting: 16_384 } }),
      groqRow(/^qwen3/, GROQ_QWEN),
    ],
  },
}

/** OpenRouter writes settings in each vendor's form, and wants its own form of reasoning back. */
export const openrouterRows: VendorRows = {
  vendor: 'openrouter',
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
        takesFileAddresses: true,
        // ujisati/claude-code-provider-proxy#11
        userId: { pattern: /^/, lengthMin: 1, lengthMax: 128 },
      },
    },
  },
}
