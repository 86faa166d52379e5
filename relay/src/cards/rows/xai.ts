import { type CardPart, type VendorRows, rowFrom } from '../model-card.ts'

const MODEL_PAGES = 'https://docs.x.ai/docs/models'

const row = rowFrom(MODEL_PAGES)

/** miaoxworld/NativeTavern#83, open-webui/open-webui#21266 */
const NO_PENALTIES: CardPart['sampling'] = { takesPenalties: false, stops: 0 }
const IMAGES = { input: ['text', 'image'] } as const

/** chenyme/grok2api#814: most models reason as much as they want. */
const efforts = (
  names: NonNullable<CardPart['reasoning']>['efforts'] = [],
  canBeOff = false,
): CardPart => ({
  reasoning: { efforts: names, canBeOff, isDefault: true, isHidden: true },
  sampling: NO_PENALTIES,
})

export const xaiRows: VendorRows = {
  vendor: 'xai',
  models: /^grok/,
  card: {
    reasoningBack: { policy: 'ignored' },
    // BerriAI/litellm 1.110
    tools: { takesStrict: false },
    content: { takesTextLists: true, system: 'any' },
  },
  rows: [
    row(/^grok-3-mini/, efforts(['low', 'high'])),
    row(/^grok-4\.20-multi-agent/, {
      ...efforts(['low', 'medium', 'high', 'xhigh']),
      facts: IMAGES,
    }),
    row(/^grok-4\.3/, {
      ...efforts(['none', 'low', 'medium', 'high', 'xhigh'], true),
      limits: { context: 1_000_000 },
      facts: IMAGES,
    }),
    row(/^grok-4\.5/, {
      ...efforts(['low', 'medium', 'high']),
      limits: { context: 500_000 },
      facts: IMAGES,
    }),
    row(/^grok-4\.[6-9]/, {
      ...efforts(['low', 'medium', 'high', 'xhigh']),
      limits: { context: 500_000 },
      facts: IMAGES,
    }),
    row(/^grok-[4-9]/, { ...efforts(), facts: IMAGES }),
    row(/^grok-code/, {
      reasoning: { efforts: [], canBeOff: false, isDefault: true },
      sampling: NO_PENALTIES,
    }),
    row(/^grok-(?:2-)?vision/, { reasoning: { how: 'none', efforts: [] }, facts: IMAGES }),
    row(/^grok-[23]/, { reasoning: { how: 'none', efforts: [] } }),
  ],
}
