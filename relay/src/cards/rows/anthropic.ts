import { type CardPart, type CardRow, type VendorRows, rowFrom } from '../model-card.ts'

/** https://docs.anthropic.com/en/docs/about-claude/models */
const MODEL_PAGES = 'https://docs.anthropic.com/en/docs/about-claude/models'
const MILLION = 1_000_000

const row = rowFrom(MODEL_PAGES)

const output = (tokens: number) => ({ output: tokens, outputSetting: tokens })

/** The newest models reason by themselves, and refuse sampling settings and prefills. */
const NEWEST: CardPart = {
  limits: { context: MILLION, ...output(128_000) },
  reasoning: {
    how: 'adaptive',
    efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
    isDefault: true,
    isHidden: true,
  },
  sampling: { takes: 'none' },
  content: { takesPrefill: false },
}

/** Models up to version 4.x reason on request. */
const ON_REQUEST: CardPart = { ...NEWEST, reasoning: { ...NEWEST.reasoning, isDefault: false } }

const ALWAYS: CardPart = {
  ...NEWEST,
  reasoning: { ...NEWEST.reasoning, canBeOff: false },
  tools: { forcedWhileReasoning: 'none' },
}

const WITH_BUDGET: CardPart = {
  reasoning: { how: 'budget', isHidden: true },
}

function budgetFamily(family: RegExp, limits: CardPart['limits'], tools: CardPart['tools'] = {}) {
  return row(family, { ...WITH_BUDGET, limits: { context: 200_000, ...limits }, tools })
}

/** The page on PDFs: models from version 3.5 on read them. */
const FILES = ['text', 'image', 'pdf'] as const

const WITHOUT_SCHEMAS = { enforcesSchemas: false }

function oldFamily(family: RegExp, tokens: number, facts: CardPart['facts'] = {}): CardRow {
  return row(family, {
    facts,
    limits: { context: 200_000, ...output(tokens) },
    reasoning: { how: 'none' },
    tools: WITHOUT_SCHEMAS,
  })
}

const ROWS: readonly CardRow[] = [
  // BerriAI/litellm, model map of 2026-11; the page lists the models that cannot switch it off.
  row(/claude-(?:(?:opus|sonnet)-5-5|(?:fable|mythos)-(?:5|preview))(?!\d)/, ALWAYS),
  row(/claude-(?:opus|sonnet)-4-6(?!\d)/, {
    ...ON_REQUEST,
    reasoning: { ...ON_REQUEST.reasoning, efforts: ['none', 'low', 'medium', 'high', 'max'] },
    sampling: { takes: 'all' },
  }),
  budgetFamily(/claude-sonnet-4-5(?!\d)/, { context: MILLION, ...output(64_000) }),
  budgetFamily(/claude-(?:opus|haiku)-4-5(?!\d)/, output(64_000)),
  budgetFamily(/claude-opus-4-1(?!\d)/, output(32_000)),
  budgetFamily(/claude-opus-4(?:$|[-:@](?:0|20\d{6}))/, output(32_000), WITHOUT_SCHEMAS),
  budgetFamily(
    /claude-sonnet-4(?:$|[-:@](?:0|20\d{6}))/,
    { context: MILLION, ...output(64_000) },
    WITHOUT_SCHEMAS,
  ),
  row(/claude-3-7/, {
    ...WITH_BUDGET,
    limits: { context: 200_000, ...output(64_000) },
    reasoning: { ...WITH_BUDGET.reasoning, isHidden: false },
    tools: WITHOUT_SCHEMAS,
  }),
  oldFamily(/claude-3-5-sonnet/, 8192),
  oldFamily(/claude-3-5-haiku/, 8192),
  oldFamily(/claude-3/, 4096, { input: ['text', 'image'] }),
  oldFamily(/claude-(?:v?[12]\b|instant)/, 4096, { input: ['text'] }),
  row(/claude-[a-z]+-4(?!\d)/, ON_REQUEST),
  row(/claude/, NEWEST),
]

export const anthropicRows: VendorRows = {
  vendor: 'anthropic',
  models: /claude/,
  card: {
    reasoningBack: { policy: 'signed_only' },
    facts: { input: FILES },
    content: {
      takesTextLists: true,
      system: 'any',
      // BerriAI/litellm#10102: ids must not be personal data, such as addresses.
      userId: { pattern: /^[^@]*$/, lengthMin: 1, lengthMax: 256 },
    },
  },
  rows: ROWS,
}
