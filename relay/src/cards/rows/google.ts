import type { CardPart, CardRow, Effort, VendorRows } from '../model-card.ts'

const MODEL_PAGES = 'https://ai.google.dev/gemini-api/docs/models'
const SIGNATURES = 'https://ai.google.dev/gemini-api/docs/thought-signatures'

/** Image models and the oldest models have less. The excess of their hold is refunded. */
const WINDOW = 1_048_576
const CONTENT = { system: 'any', takesRepeatedRoles: true } as const
const MEDIA = { input: ['text', 'image', 'audio', 'video', 'pdf'] } as const

const LOW_TO_HIGH: readonly Effort[] = ['low', 'medium', 'high']
const MINIMAL_TO_HIGH: readonly Effort[] = ['minimal', ...LOW_TO_HIGH]

const row = (family: RegExp, card: CardPart, source = MODEL_PAGES): CardRow => ({
  family,
  source,
  card: { content: CONTENT, facts: MEDIA, ...card, limits: { context: WINDOW, ...card.limits } },
})

const TOOLS = { enforcesSchemas: true } as const

/** Models for images and speech do not reason; those from version 3 on sign calls all the same. */
const media = (family: RegExp, signsCalls: boolean, isHidden: boolean): CardRow =>
  row(family, {
    limits: { outputSetting: 65_536 },
    reasoning: { how: 'none', isHidden },
    tools: { ...TOOLS, signsCalls },
  })

/** From version 3 on, reasoning has levels and cannot be switched off. */
const levels = (family: RegExp, efforts: readonly Effort[]): CardRow =>
  row(
    family,
    {
      limits: { outputSetting: 65_536 },
      reasoning: { how: 'level', efforts, canBeOff: false, isDefault: true, isHidden: true },
      reasoningBack: { takesSignatures: true, placeholder: 'skip_thought_signature_validator' },
      tools: { ...TOOLS, signsCalls: true },
    },
    SIGNATURES,
  )

const budgets = (family: RegExp, canBeOff: boolean): CardRow =>
  row(family, {
    limits: { outputSetting: 65_536 },
    reasoning: {
      how: 'budget',
      efforts: canBeOff ? ['none', ...MINIMAL_TO_HIGH] : MINIMAL_TO_HIGH,
      canBeOff,
      isDefault: true,
      isHidden: true,
    },
    tools: TOOLS,
  })

export const googleRows: VendorRows = {
  vendor: 'google',
  models: /gemini|^gemma/,
  card: {
    reasoning: { how: 'none', efforts: [] },
    reasoningBack: { policy: 'ignored', takesSignatures: true },
    sampling: { stops: 5 },
    tools: { enforcesSchemas: false },
    // Templates of Gemma: suitenumerique/conversations#197, google/adk-python#1373.
    content: { takesTextLists: true, system: 'none', takesRepeatedRoles: false },
  },
  rows: [
    media(/gemini-2\.[5-9].*-(?:image|tts)\b/, false, true),
    media(/gemini-(?:[3-9]|.*latest).*-(?:image|tts)\b/, true, true),
    levels(/gemini-3-pro/, ['low', 'high']),
    levels(/gemini-3(?:\.[0-6](?!\d))?(?!\.).*flash/, MINIMAL_TO_HIGH),
    levels(/gemini-(?:[3-9]|\d\d)|^gemini-.*latest/, LOW_TO_HIGH),
    budgets(/gemini-2\.[5-9].*pro/, false),
    budgets(/gemini-2\.[5-9]/, true),
    row(/gemini-1\.5-pro/, {
      limits: { context: 2_097_152, outputSetting: 8192 },
    }),
    row(/^gemini-|gemini-(?:1\.[5-9]|2)/, { limits: { outputSetting: 8192 } }),
  ],
}
