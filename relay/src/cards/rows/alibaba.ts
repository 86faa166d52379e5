import { type CardPart, type VendorRows, rowFrom } from '../model-card.ts'

const API_PAGES = 'https://www.alibabacloud.com/help/en/model-studio/use-qwen-by-calling-api'

const row = rowFrom(API_PAGES)

const ALWAYS: CardPart['reasoning'] = { canBeOff: false, isDefault: true }

const setting = (outputSetting: number): CardPart => ({ limits: { outputSetting } })

/** From Qwen 3.5 on, the Max models alone are for text only. */
const MULTIMODAL: CardPart = {
  content: { isMultimodal: true },
  facts: { input: ['text', 'image', 'video'] },
}

const OMNI: CardPart = {
  ...MULTIMODAL,
  facts: { input: ['text', 'image', 'audio', 'video'] },
}

/** The template of the open weights takes one message of the system, before all others. */
const open = rowFrom('vllm-project/vllm#41114, ai-dynamo/dynamo#10206')

const OPEN_WEIGHTS: CardPart = {
  ...MULTIMODAL,
  content: { isMultimodal: true, demandsOrder: true },
  reasoning: { isDefault: true },
}

export const alibabaRows: VendorRows = {
  vendor: 'alibaba',
  models: /^(?:qwen|qwq|qvq)/,
  card: {
    reasoning: { how: 'switch', offMember: 'enable_thinking' },
    // cloudwego/eino#994
    tools: { forcedWhileReasoning: 'none' },
  },
  rows: [
    row(/-omni.*-thinking/, { ...OMNI, reasoning: ALWAYS }),
    row(/^qvq|-vl.*-thinking/, { ...MULTIMODAL, reasoning: ALWAYS }),
    row(/^qwq|^qwen.*-thinking/, { reasoning: ALWAYS }),
    row(/-omni/, OMNI),
    row(/-audio/, { ...MULTIMODAL, facts: { input: ['text', 'audio'] } }),
    row(/-vl/, MULTIMODAL),
    row(/^qwen3\.8-max/, { ...setting(131_072), reasoning: { isDefault: true } }),
    row(/^qwen3\.[5-9]-max/, { ...setting(65_536), reasoning: { isDefault: true } }),
    open(/^qwen3\.[89]-[\d.]+b/, { ...OPEN_WEIGHTS, ...setting(131_072) }),
    open(/^qwen3\.[5-7]-[\d.]+b/, { ...OPEN_WEIGHTS, ...setting(65_536) }),
    row(/^qwen3\.[89]-/, { ...MULTIMODAL, ...setting(131_072), reasoning: { isDefault: true } }),
    row(/^qwen3\.[5-7]-/, { ...MULTIMODAL, ...setting(65_536), reasoning: { isDefault: true } }),
    // These reason by default, but in streams only (langchain4j/langchain4j#3974).
    row(/^qwen3-[\d.]+b(?:-a\d+b)?$/, { reasoning: { isDefault: true, needsStream: true } }),
    row(/^qwen3-(?:coder|max)/, setting(65_536)),
    row(/^qwen-max(?!-)/, setting(8192)),
    // BerriAI/litellm, model map of 2026-11
    row(/^qwen-(?:plus|flash|turbo)/, setting(32_768)),
  ],
}
