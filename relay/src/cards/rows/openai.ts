import type { CardPart, CardRow, Effort, Modality, Reasoning, VendorRows } from '../model-card.ts'

const MODEL_PAGES = 'https://platform.openai.com/docs/models'
const REASONING_GUIDE = 'https://platform.openai.com/docs/guides/reasoning'

const LOW_TO_HIGH: readonly Effort[] = ['low', 'medium', 'high']
const LOW_TO_XHIGH: readonly Effort[] = [...LOW_TO_HIGH, 'xhigh']
const NONE_TO_XHIGH: readonly Effort[] = ['none', ...LOW_TO_XHIGH]
const LARGE_WINDOW = 1_050_000
const IMAGES = { input: ['text', 'image', 'pdf'] } as const

/** These refuse `reasoning_effort`. */
function plainFamily(
  family: RegExp,
  { output, ...limits }: { output: number; context?: number; outputSetting?: number },
  facts: CardPart['facts'] = {},
): CardRow {
  const card: CardPart = {
    limits: { output, outputSetting: output, ...limits },
    reasoning: { how: 'none', efforts: [] },
    facts,
  }
  return { family, source: MODEL_PAGES, card }
}

type ReasoningFacts = {
  readonly efforts: readonly Effort[]
  readonly context?: number
  readonly output?: number
  readonly inChat?: Reasoning['inChat']
  readonly isDefault?: boolean
  readonly input?: readonly Modality[]
}

/** These accept sampling settings only while reasoning is off (openai/openai-openapi#541). */
function reasoningFamily(family: RegExp, facts: ReasoningFacts): CardRow {
  const { efforts, context = 400_000, output = 128_000, inChat = 'all', isDefault = true } = facts
  const { input = IMAGES.input } = facts
  const canBeOff = efforts.includes('none')
  const card: CardPart = {
    limits: { context, output, outputSetting: output, outputMember: 'max_completion_tokens' },
    reasoning: {
      efforts,
      canBeOff,
      isDefault,
      isHidden: true,
      inChat,
    },
    sampling: { takes: canBeOff ? 'without_reasoning' : 'none', takesPenalties: false, stops: 0 },
    facts: { input },
  }
  return { family, source: REASONING_GUIDE, card }
}

/** Names that end in `-chat-latest` do not reason, but have the limits of their generation. */
function chatFamily(family: RegExp, context: number): CardRow {
  const card: CardPart = {
    limits: {
      context,
      output: 128_000,
      outputSetting: 16_384,
      outputMember: 'max_completion_tokens',
    },
    reasoning: { how: 'none', efforts: [], isHidden: true },
    facts: IMAGES,
  }
  return { family, source: MODEL_PAGES, card }
}

/** They accept no setting but the output limit (BerriAI/litellm, search models). */
const SEARCH_SAMPLING: NonNullable<CardPart['sampling']> = {
  takes: 'none',
  takesPenalties: false,
  stops: 0,
}

function searchFamily(row: CardRow): CardRow {
  return { ...row, card: { ...row.card, sampling: SEARCH_SAMPLING } }
}

const responsesFamily = (family: RegExp, facts: ReasoningFacts) =>
  reasoningFamily(family, { ...facts, inChat: 'no_chat' })

/** The Responses API alone serves these (Portkey-AI/gateway#1445). */
const RESPONSES_ONLY: readonly CardRow[] = [
  responsesFamily(/^gpt-5-pro/, { efforts: ['high'] }),
  responsesFamily(/^gpt-5\.5-pro/, { efforts: ['medium', 'high', 'xhigh'], context: LARGE_WINDOW }),
  responsesFamily(/^gpt-(?:5\.(?:[4-9]|\d\d)|[6-9])[\d.]*-(?:[a-z]+-)*pro\b/, {
    efforts: LOW_TO_XHIGH,
    context: LARGE_WINDOW,
  }),
  responsesFamily(/^gpt-5[\d.]*-(?:[a-z]+-)*(?:pro|codex)\b/, { efforts: LOW_TO_XHIGH }),
  responsesFamily(/^o\d(?:-mini)?-(?:pro|deep-research)/, {
    efforts: LOW_TO_HIGH,
    context: 200_000,
    output: 100_000,
  }),
  {
    family: /^codex-/,
    source: MODEL_PAGES,
    card: { reasoning: { efforts: LOW_TO_HIGH, isHidden: true, inChat: 'no_chat' } },
  },
]

/**
 * From GPT-5.2 on, chat completions refuse tools with an effort (pipecat-ai/pipecat#4043,
 * livekit/agents#5088), and from GPT-5.6 on, tools without the effort `none`
 * (BerriAI/litellm#34569).
 */
const GENERATIONS: readonly CardRow[] = [
  chatFamily(/^gpt-5(?:\.[0-3])?-chat/, 400_000),
  chatFamily(/^gpt-[5-9][\d.]*-chat/, LARGE_WINDOW),
  searchFamily(reasoningFamily(/^gpt-5-search/, { efforts: [] })),
  reasoningFamily(/^gpt-5(?!\.)/, { efforts: ['minimal', ...LOW_TO_HIGH] }),
  reasoningFamily(/^gpt-5\.[01](?!\d)/, { efforts: ['none', ...LOW_TO_HIGH], isDefault: false }),
  reasoningFamily(/^gpt-5\.[23](?!\d)|^gpt-5\.4-(?:mini|nano)/, {
    efforts: NONE_TO_XHIGH,
    isDefault: false,
    inChat: 'no_tools_with_effort',
  }),
  reasoningFamily(/^gpt-5\.4(?!\d)/, {
    efforts: NONE_TO_XHIGH,
    context: LARGE_WINDOW,
    isDefault: false,
    inChat: 'no_tools_with_effort',
  }),
  reasoningFamily(/^gpt-5\.5(?!\d)/, {
    efforts: NONE_TO_XHIGH,
    context: LARGE_WINDOW,
    inChat: 'no_tools_with_effort',
  }),
  reasoningFamily(/^gpt-6(?:\.\d+)?-(?:astra|rosalind)|^gpt-6\.[1-9]\d*-sol/, {
    efforts: LOW_TO_XHIGH,
    context: LARGE_WINDOW,
    inChat: 'no_tools_unless_off',
  }),
  reasoningFamily(/^gpt-(?:5\.|[6-9]|(?!35)\d\d)/, {
    efforts: NONE_TO_XHIGH,
    context: LARGE_WINDOW,
    inChat: 'no_tools_unless_off',
  }),
]

const OLDER: ReasoningFacts = { efforts: LOW_TO_HIGH, context: 200_000, output: 100_000 }
const EARLIEST: ReasoningFacts = { efforts: [], context: 128_000, input: ['text'] }

/** The oldest models with reasoning. They have no member for its amount. */
const FIRST_REASONING: readonly CardRow[] = [
  reasoningFamily(/^o1-preview/, { ...EARLIEST, output: 32_768 }),
  reasoningFamily(/^o1-mini/, { ...EARLIEST, output: 65_536 }),
  reasoningFamily(/^o3-mini/, { ...OLDER, input: ['text'] }),
  reasoningFamily(/^o\d/, OLDER),
]

const REALTIME: readonly CardRow[] = [
  {
    family: /^gpt-realtime-[2-9](?!\d)/,
    source: MODEL_PAGES,
    card: { limits: { output: 32_000, outputSetting: 32_000 }, reasoning: { isHidden: true } },
  },
  plainFamily(/^gpt-(?:4o-(?:mini-)?)?realtime/, { output: 4096 }),
]

const WITHOUT_REASONING: readonly CardRow[] = [
  plainFamily(/^gpt-3\.5-turbo|^gpt-35-turbo/, { output: 4096, context: 16_385 }),
  plainFamily(/^gpt-4-(?:turbo|vision|\d{4}-preview)/, { output: 4096, context: 128_000 }, IMAGES),
  plainFamily(/^gpt-4(?:-\d{4})?$/, { output: 8192, context: 8192 }),
  plainFamily(/^gpt-4-32k/, { output: 32_768, context: 32_768 }),
  plainFamily(/^gpt-4o-2024-05-13/, { output: 16_384, outputSetting: 4096, context: 128_000 }),
  searchFamily(plainFamily(/^gpt-4o(?:-mini)?-search/, { output: 16_384, context: 128_000 })),
  plainFamily(/^(?:chat)?gpt-4o/, { output: 16_384, context: 128_000 }, IMAGES),
  plainFamily(/^gpt-4\.1/, { output: 32_768, context: 1_047_576 }, IMAGES),
  plainFamily(/^gpt-4\.5/, { output: 16_384, context: 128_000 }, IMAGES),
  {
    family: /^(?:chat)?gpt-/,
    source: MODEL_PAGES,
    card: { reasoning: { how: 'none', efforts: [] } },
  },
]

export const openaiRows: VendorRows = {
  vendor: 'openai',
  models: /^(?:chat)?gpt-(?!oss)|^o\d(?!\w)|^codex-/,
  card: {
    reasoningBack: { policy: 'ignored' },
    sampling: { stops: 4 },
    content: {
      takesTextLists: true,
      system: 'any',
      // maximhq/bifrost#1000
      userId: { pattern: /^/, lengthMin: 1, lengthMax: 64 },
    },
  },
  rows: [...RESPONSES_ONLY, ...REALTIME, ...GENERATIONS, ...FIRST_REASONING, ...WITHOUT_REASONING],
}
