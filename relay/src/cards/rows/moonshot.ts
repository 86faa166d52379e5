import { type CardPart, type VendorRows, rowFrom } from '../model-card.ts'

const MODEL_PAGES = 'https://platform.moonshot.ai/docs/pricing/chat'
const IMAGES = { input: ['text', 'image', 'video'] } as const

/** BerriAI/litellm fills a space where the reasoning is lost. */
const BACK: CardPart['reasoningBack'] = { policy: 'required_with_calls', placeholder: ' ' }
/** One temperature is allowed, so none is sent. */
const FIXED: CardPart['sampling'] = { takes: 'none', takesPenalties: false }
const WINDOW = 262_144

const K2: CardPart = {
  limits: { context: WINDOW },
  reasoningBack: BACK,
  sampling: FIXED,
  tools: { forcedWhileReasoning: 'none' },
  facts: IMAGES,
}

const V1: CardPart = {
  reasoning: { how: 'none', efforts: [] },
  sampling: { temperature: { min: 0, max: 1 } },
}

const row = rowFrom(MODEL_PAGES)

export const moonshotRows: VendorRows = {
  vendor: 'moonshot',
  models: /^(?:kimi|moonshot)/,
  card: {
    sampling: { stops: 5 },
    // MoonshotAI/kimi-cli#2531
    content: { system: 'any' },
  },
  rows: [
    row(/^kimi-k(?:[3-9]|\d\d)/, {
      limits: { context: 1_048_576 },
      reasoning: { efforts: ['low', 'high', 'max'], canBeOff: false, isDefault: true },
      reasoningBack: BACK,
      sampling: FIXED,
      // UKGovernmentBEIS/inspect_ai#5152: any tool may be required, a named tool may not.
      tools: { forcedWhileReasoning: 'any_tool' },
      facts: IMAGES,
    }),
    row(/^kimi-k2\.7/, {
      ...K2,
      reasoning: { how: 'switch', efforts: [], canBeOff: false, isDefault: true },
    }),
    row(/^kimi-k2\.[5-9]/, {
      ...K2,
      reasoning: { how: 'switch', efforts: [], offMember: 'thinking', isDefault: true },
    }),
    row(/^kimi-k2-thinking/, {
      limits: { context: WINDOW },
      reasoning: { how: 'none', efforts: [], canBeOff: false, isDefault: true },
      reasoningBack: BACK,
      tools: { forcedWhileReasoning: 'none' },
    }),
    row(/^kimi-k2/, { limits: { context: WINDOW }, reasoning: { how: 'none', efforts: [] } }),
    row(/^moonshot-v1.*-vision/, { ...V1, facts: { input: ['text', 'image'] } }),
    row(/^moonshot-v1/, V1),
  ],
}
