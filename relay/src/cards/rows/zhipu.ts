import { type CardPart, type VendorRows, rowFrom } from '../model-card.ts'

const MODEL_PAGES = 'https://docs.z.ai/guides/overview/pricing'
const THINKING_GUIDE = 'https://docs.z.ai/guides/capabilities/thinking-mode'

const row = rowFrom(MODEL_PAGES)

const OPEN_INTERVAL = { min: 0.01, max: 0.99 }
const CLOSED_INTERVAL = { min: 0, max: 1 }

const thinking = (
  context: number,
  reasoning: CardPart['reasoning'] = { efforts: [], offMember: 'thinking' },
): CardPart => ({
  limits: { context, outputSetting: 131_072 },
  reasoning: { how: 'switch', isDefault: true, ...reasoning },
  sampling: { temperature: CLOSED_INTERVAL },
})

/** The letter v stands for vision. */
const VISION: CardPart['facts'] = { input: ['text', 'image', 'video'] }

/** fuzhengwei/chatglm-sdk-java#8 */
const TEXT_ONLY: CardPart['content'] = { takesTextOnly: true }
const GLM_4_5: CardPart = {
  ...thinking(128_000),
  limits: { context: 128_000, outputSetting: 98_304 },
  sampling: {},
}

export const zhipuRows: VendorRows = {
  vendor: 'zhipu',
  models: /^(?:chat)?glm|^cogview|^cogvideo|^charglm/,
  card: {
    reasoning: { how: 'switch', efforts: [], offMember: 'thinking' },
    sampling: { temperature: OPEN_INTERVAL, topP: OPEN_INTERVAL, stops: 1 },
    tools: { forcedWhileReasoning: 'none' },
    content: {
      system: 'any',
      // looplj/axonhub#1669
      userId: { pattern: /^/, lengthMin: 6, lengthMax: 128 },
    },
  },
  rows: [
    row(
      /^glm-5\.(?:[3-9]|\d\d)|^glm-[6-9]/,
      thinking(1_000_000, { efforts: ['low', 'high', 'max'], canBeOff: false }),
      THINKING_GUIDE,
    ),
    row(/^glm-(?:4\.[6-9]|5(?:\.\d)?)v/, { ...thinking(200_000), facts: VISION }, THINKING_GUIDE),
    row(/^glm-4\.5v/, { ...GLM_4_5, facts: VISION }),
    row(
      /^glm-5\.2/,
      {
        ...thinking(1_000_000, { efforts: ['high', 'max'], offMember: 'thinking' }),
        content: TEXT_ONLY,
      },
      THINKING_GUIDE,
    ),
    row(/^glm-(?:4\.[6-9]|5)/, { ...thinking(200_000), content: TEXT_ONLY }, THINKING_GUIDE),
    row(/^glm-4\.5/, { ...GLM_4_5, content: TEXT_ONLY }),
  ],
}
