import { memoize } from '../bytes/memoize.ts'
import type { ProviderDescriptor } from '../provider.ts'
import type { CardPart, CardRow, ModelCard, Vendor, VendorRows } from './model-card.ts'
import { normalizeModelName } from './plain-name.ts'
import { ALL_ROWS } from './rows/all-rows.ts'
import { TASK_ROWS } from './rows/tasks.ts'

/** What OpenAI's protocol lets any vendor accept. */
const DEFAULT_CARD: ModelCard = {
  vendor: 'unknown',
  isKnown: false,
  limits: { context: null, output: null, outputSetting: null, outputMember: 'max_tokens' },
  reasoning: {
    how: 'effort',
    efforts: null,
    canBeOff: true,
    offMember: 'reasoning_effort',
    isDefault: false,
    isHidden: false,
    needsStream: false,
    inChat: 'all',
  },
  reasoningBack: {
    policy: 'welcome',
    member: 'reasoning_content',
    placeholder: null,
    takesDetails: false,
    takesSignatures: false,
  },
  sampling: {
    takes: 'all',
    takesLogprobs: true,
    temperature: null,
    topP: null,
    takesPenalties: true,
    stops: null,
  },
  tools: {
    forcedWhileReasoning: 'all',
    takesStrict: true,
    takesSchemaIds: true,
    takesAdditionalProperties: true,
    takesUndeclaredCalls: true,
    takesNoParameters: true,
    enforcesSchemas: true,
    signsCalls: false,
  },
  content: {
    // Chat templates of open models may take a single system message, and a string per message.
    takesTextLists: false,
    system: 'first',
    takesDeveloper: true,
    takesNullContent: true,
    takesResultLists: true,
    takesUserAfterTool: true,
    demandsOrder: false,
    takesRepeatedRoles: true,
    takesPrefill: true,
    takesUnknownMembers: true,
    takesTextOnly: false,
    takesFileAddresses: false,
    takesAnswerSchemas: true,
    isMultimodal: false,
    userId: null,
  },
  facts: { input: ['text'], output: ['text'], shutdown: null, endpoint: null },
}

/** The vendor at a channel's address, by channel type. Resellers and own servers are absent. */
const HOSTS: ReadonlyMap<number, Vendor> = new Map([
  [3, 'azure'],
  [14, 'anthropic'],
  [15, 'baidu'],
  [16, 'zhipu'],
  [17, 'alibaba'],
  [20, 'openrouter'],
  [23, 'tencent'],
  [24, 'google'],
  [25, 'moonshot'],
  [27, 'minimax'],
  [28, 'mistral'],
  [29, 'groq'],
  [35, 'cohere'],
  [36, 'deepseek'],
  [45, 'xai'],
  [47, 'baidu'],
  [49, 'alibaba'],
])

/** Vendors whose addresses operators enter in channels of other types. */
const HOSTS_BY_NAME: readonly (readonly [RegExp, Vendor])[] = [
  [/^dashscope(?:-[a-z]+)?\.aliyuncs\.com$/, 'alibaba'],
  [/^api\.cerebras\.ai$/, 'cerebras'],
  [/^api\.cohere\.(?:ai|com)$/, 'cohere'],
  [/^api\.deepseek\.com$/, 'deepseek'],
  [/^api\.groq\.com$/, 'groq'],
  [/^api\.mistral\.ai$/, 'mistral'],
  [/^api\.moonshot\.(?:ai|cn)$|^api\.kimi\.com$/, 'moonshot'],
  [/^openrouter\.ai$/, 'openrouter'],
  [/^api\.x\.ai$/, 'xai'],
  [/^api\.xiaomimimo\.com$/, 'xiaomi'],
  [/^api\.z\.ai$|^open\.bigmodel\.cn$/, 'zhipu'],
]

export function hostOf({ type }: Pick<ProviderDescriptor, 'type'>, baseUrl = ''): Vendor {
  return HOSTS.get(type) ?? hostAt(baseUrl)
}

const hostAt = memoize((baseUrl): Vendor => {
  const name = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : ''
  return HOSTS_BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? 'unknown'
})

/** Finds the card of a model at a vendor's address; `part` is one of few constants. */
export type CardLookup = (host: Vendor, model: string, part?: CardPart) => ModelCard

const NO_PART: CardPart = {}

/** Remembers the cards that a lookup finds, by its parts. */
function memoizeCards(
  find: (host: Vendor, model: string, part: CardPart) => ModelCard,
): CardLookup {
  const known = new WeakMap<CardPart, Map<Vendor, (model: string) => ModelCard>>()
  return (host, model, part = NO_PART) => {
    const byHost = known.get(part) ?? new Map<Vendor, (model: string) => ModelCard>()
    if (byHost.size === 0) known.set(part, byHost)
    const lookup = byHost.get(host)
    if (lookup !== undefined) return lookup(model)
    const added = memoize((name) => find(host, name, part))
    byHost.set(host, added)
    return added(model)
  }
}

/**
 * Later parts win: defaults, the maker's card, the row of the model's family, the host's card and
 * its row, and `part`.
 */
export const cardOf: CardLookup = memoizeCards((host, model, part) =>
  part === NO_PART ? knownCard(host, model) : merge(cardOf(host, model), part),
)

type CalledModel = {
  readonly model: string
  readonly channel: { readonly cardOf?: CardLookup | undefined }
}

/** The card of the called model, with what the channel's operator states about it. */
export const cardFor = ({ channel, model }: CalledModel, host: Vendor): ModelCard =>
  (channel.cardOf ?? cardOf)(host, model)

/**
 * A lookup in which an operator's statements win. A pattern is a model's name at the provider, with
 * `*` for any characters; longer patterns win over shorter ones, and a name over all patterns.
 */
export function cardsWith(overrides: Readonly<Record<string, CardPart>>): CardLookup {
  const rows = Object.entries(overrides)
    .toSorted(([a], [b]) => specificity(a) - specificity(b))
    .map(([pattern, part]) => ({ pattern, part }))
  const partsFor = (model: string) =>
    rows.filter(({ pattern }) => matchesPattern(model, pattern)).map(({ part }) => part)
  return memoizeCards((host, model, part) =>
    partsFor(model).reduce(merge, cardOf(host, model, part)),
  )
}

const specificity = (pattern: string) => (pattern.includes('*') ? pattern.length : Infinity)

function matchesPattern(model: string, pattern: string): boolean {
  const [first = '', ...others] = pattern.split('*')
  const last = others.pop()
  if (last === undefined) return model === pattern
  const end = model.length - last.length
  let at = first.length
  if (at > end || !model.startsWith(first) || !model.endsWith(last)) return false
  for (const piece of others) {
    const found = model.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return at <= end
}

/** Addresses that prefix the maker translate requests to what each vendor's API takes. */
const ROUTER_CARD: CardPart = {
  limits: { outputMember: 'max_tokens' },
  reasoning: { inChat: 'all' },
  reasoningBack: { takesDetails: true },
}

/** Models whose maker has no rows. A client has details only if the model gave them. */
const UNKNOWN_CARD: CardPart = { reasoningBack: { takesDetails: true } }

/** At the addresses of others a model reasons in whole answers too. */
const FOREIGN_CARD: CardPart = { reasoning: { needsStream: false } }

function knownCard(hostName: Vendor, model: string): ModelCard {
  const name = normalizeModelName(model)
  const host = ALL_ROWS.find(({ vendor }) => vendor === hostName)
  const maker = ALL_ROWS.find(({ models }) => models?.test(name)) ?? makerAt(host)
  const row = rowFor(maker?.rows, name)
  const isRouted = hostName === 'unknown' && model.includes('/')
  const hostCard = isRouted ? ROUTER_CARD : host?.host?.card
  const foreign = hostName === maker?.vendor ? undefined : FOREIGN_CARD
  const hostRow = rowFor(host?.host?.rows, name)
  const makerCard = maker === undefined ? UNKNOWN_CARD : maker.card
  const parts = [makerCard, row, foreign, hostCard, hostRow, taskFacts(name)]
  const base = { ...DEFAULT_CARD, vendor: maker?.vendor ?? 'unknown', isKnown: row !== undefined }
  return parts.reduce<ModelCard>((card, part) => merge(card, part ?? {}), base)
}

/** Vendors name some models freely, and Azure's deployments have names of their own. */
const makerAt = (host: VendorRows | undefined) =>
  host?.vendor === 'azure' ? ALL_ROWS.find(({ vendor }) => vendor === 'openai') : host

function taskFacts(name: string): CardPart | undefined {
  const endpoint = TASK_ROWS.find(({ family }) => family.test(name))?.endpoint
  return endpoint && { facts: { endpoint } }
}

const rowFor = (rows: readonly CardRow[] | undefined, name: string) =>
  rows?.find(({ family }) => family.test(name))?.card

const merge = (card: ModelCard, part: CardPart): ModelCard => ({
  ...card,
  limits: { ...card.limits, ...part.limits },
  reasoning: { ...card.reasoning, ...part.reasoning },
  reasoningBack: { ...card.reasoningBack, ...part.reasoningBack },
  sampling: { ...card.sampling, ...part.sampling },
  tools: { ...card.tools, ...part.tools },
  content: { ...card.content, ...part.content },
  facts: { ...card.facts, ...part.facts },
})
