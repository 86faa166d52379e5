import { type CardPart, type VendorRows, rowFrom } from '../model-card.ts'

const THINKING_GUIDE = 'https://api-docs.deepseek.com/guides/thinking_mode'

/** Reasoning goes back with calls, also where it is lost: a space counts as reasoning. */
const THINKING: CardPart = {
  reasoning: {
    how: 'switch',
    efforts: ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
    offMember: 'thinking',
    isDefault: true,
  },
  reasoningBack: { policy: 'required_with_calls', placeholder: ' ' },
  // deepseek-ai/DeepSeek-V3#1376
  tools: { forcedWhileReasoning: 'none' },
}

const row = rowFrom(THINKING_GUIDE)

export const deepseekRows: VendorRows = {
  vendor: 'deepseek',
  models: /^deepseek/,
  card: {
    sampling: { stops: 16 },
    content: {
      system: 'any',
      // BerriAI/litellm#30722
      takesDeveloper: false,
      // chatboxai/chatbox#1740, browser-use/web-ui#163
      takesTextOnly: true,
      // claude-code-best/claude-code#420
      userId: { pattern: /^[a-zA-Z0-9_-]+$/, lengthMin: 1, lengthMax: 512 },
    },
  },
  rows: [
    row(/^deepseek-(?:vl|ocr)/, {
      reasoningBack: { policy: 'ignored' },
      content: { takesTextOnly: false },
    }),
    row(
      /^deepseek-(?:reasoner|r1)/,
      {
        limits: { context: 131_072, outputSetting: 65_536 },
        reasoning: { efforts: [], canBeOff: false, isDefault: true },
        reasoningBack: { policy: 'ignored' },
        sampling: { takesLogprobs: false },
      },
      'https://api-docs.deepseek.com/guides/reasoning_model',
    ),
    row(
      /^deepseek-chat$/,
      {
        limits: { context: 131_072, outputSetting: 8192 },
        reasoning: { how: 'none', efforts: [] },
        reasoningBack: { policy: 'ignored' },
      },
      'https://github.com/Gitlawb/openclaude/issues/35',
    ),
    row(/^deepseek-(?:chat|coder|v2|v3(?!\.[1-9]))/, { reasoningBack: { policy: 'ignored' } }),
    row(/^deepseek-v3\.[1-9]|^deepseek-chat-v3/, {
      ...THINKING,
      reasoning: { ...THINKING.reasoning, isDefault: false },
    }),
    row(/^deepseek-(?:v[4-9]|flash|pro)/, {
      ...THINKING,
      limits: { context: 1_000_000, outputSetting: 393_216 },
    }),
  ],
  // UKGovernmentBEIS/inspect_ai#4916, llm-exe/llm-exe#662
  host: { card: { content: { takesAnswerSchemas: false } }, rows: [] },
}
