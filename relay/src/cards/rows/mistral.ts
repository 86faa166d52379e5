import { type CardPart, type VendorRows, rowFrom } from '../model-card.ts'

const REASONING_GUIDE = 'https://docs.mistral.ai/capabilities/reasoning'

const row = rowFrom(REASONING_GUIDE)

/** docs.mistral.ai/models, anomalyco/models.dev */
const SEES: CardPart = { facts: { input: ['text', 'image'] } }
const REASONS: CardPart = { reasoning: { efforts: ['none', 'high'] } }
const MAGISTRAL: CardPart = {
  reasoning: { how: 'none', efforts: [], canBeOff: false, isDefault: true },
}

/**
 * The order of roles that Mistral's templates demand, also at other addresses
 * (onyx-dot-app/onyx#6458, NousResearch/hermes-agent#84944).
 */
const STRICT_ORDER: CardPart['content'] = {
  system: 'first',
  takesUserAfterTool: false,
  demandsOrder: true,
}

export const mistralRows: VendorRows = {
  vendor: 'mistral',
  models: /(?:^|-)(?:mi[sx]tral|magistral|ministral|codestral|devstral|pixtral|voxtral)/,
  card: {
    reasoning: { how: 'none', efforts: [] },
    reasoningBack: { policy: 'ignored' },
    // microsoft/autogen#1037
    content: { ...STRICT_ORDER, takesRepeatedRoles: false },
  },
  rows: [
    row(/^mistral-large-(?:[4-9]|2[67])/, { ...REASONS, ...SEES }),
    row(/^mistral-medium-(?:3[.-]5|26|latest)|^mistral-medium(?:-3)?$/, { ...REASONS, ...SEES }),
    row(/^mistral-small-(?:26|latest)|^mistral-small$/, { ...REASONS, ...SEES }),
    row(/^pixtral|^mistral-medium-(?:3|25)|^mistral-small-(?:3[.-][1-9]|250[3-9])/, SEES),
    row(/^mistral-large-(?:3|2512|latest)|^ministral-(?:\d+b-)?(?:2512|latest)/, SEES),
    row(/^(?:labs-)?devstral-small-2512/, SEES),
    row(/^devstral-(?:[a-z]+-)?latest/, REASONS),
    // Mistral serves it under this name (vercel/ai#20587).
    row(/^zai-glm/, { reasoning: { efforts: ['high', 'max'], isDefault: true } }),
    // Version 1.2 sees (RooCodeInc/Roo-Code#8364).
    row(/^magistral-[a-z]+-(?:1[.-]2|2509|latest)/, { ...MAGISTRAL, ...SEES }),
    row(/^magistral/, MAGISTRAL),
  ],
  host: {
    card: {
      reasoningBack: { policy: 'ignored' },
      sampling: { temperature: { min: 0, max: 1.5 } },
      tools: { takesSchemaIds: false, takesNoParameters: false },
      content: {
        ...STRICT_ORDER,
        takesTextLists: true,
        takesRepeatedRoles: true,
        // charmbracelet/crush#1590, zeroclaw-labs/zeroclaw#3572
        takesUnknownMembers: false,
        takesDeveloper: false,
      },
    },
  },
}
