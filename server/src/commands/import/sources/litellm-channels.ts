import { descriptorOf } from '@tollgate/relay/catalogue'
import { isObject, numberIn, type Row, textIn } from '../../../other-gateways/row.ts'
import type { SourceChannel, Tell } from '../../../other-gateways/source-channel.ts'
import { resolveValue } from './litellm-secrets.ts'

/** Channel types by the prefix of a model; null for providers without a type. */
const TYPES: Readonly<Record<string, number | null>> = {
  openai: 1,
  text_completion_openai: 1,
  azure: 3,
  anthropic: 14,
  gemini: 24,
  openrouter: 20,
  groq: 29,
  mistral: 28,
  ollama: 30,
  ollama_chat: 30,
  moonshot: 25,
  minimax: 27,
  zai: 16,
  dashscope: 49,
  deepseek: 36,
  xai: 45,
  together_ai: 39,
  cohere: 35,
  cohere_chat: 35,
  volcengine: 40,
  siliconflow: 44,
  novita: 41,
  perplexity: 50,
  hosted_vllm: 8,
  openai_like: 8,
  fireworks_ai: 50,
  cerebras: 8,
  bedrock: null,
  vertex_ai: null,
  sagemaker: null,
  watsonx: null,
  databricks: null,
  huggingface: null,
  replicate: null,
}

const ADDRESSES: Readonly<Record<string, string>> = {
  perplexity: 'https://api.perplexity.ai',
  fireworks_ai: 'https://api.fireworks.ai/inference/v1',
  cerebras: 'https://api.cerebras.ai',
}

const OPENAI = 1
const CUSTOM = 8
const AZURE = 3
const KEYLESS: ReadonlySet<string> = new Set(['ollama', 'ollama_chat', 'hosted_vllm'])
const NO_KEY = 'none'

type Deployment = {
  readonly model: string
  readonly provider: string
  readonly upstream: string
  readonly address: string
  readonly key: string
  readonly version: string
  readonly weight: number
}

/** A channel for each provider, address and key. Entries with the same model share its requests. */
export function readChannels(models: readonly Row[], tell: Tell): SourceChannel[] {
  const channels = new Map<string, Deployment[]>()
  for (const entry of models) {
    const deployment = readDeployment(entry, tell)
    if (deployment === null) continue
    const { provider, address, key, version, model } = deployment
    const place = JSON.stringify([provider, address, key, version])
    // The mapping of a channel sends each model to one other, so a second one needs a channel.
    for (let part = 0; ; part += 1) {
      const name = `${place} ${part}`
      const found = channels.get(name) ?? []
      if (found.some((other) => other.model === model)) continue
      channels.set(name, [...found, deployment])
      break
    }
  }
  return [...channels].map(([place, deployments]) => channelOf(place, deployments, tell))
}

function readDeployment(entry: Row, tell: Tell): Deployment | null {
  const model = textIn(entry, 'model_name')
  const params = isObject(entry['litellm_params']) ? entry['litellm_params'] : {}
  const name = textIn(params, 'model')
  if (model === '' || name === '') return null
  if (`${model}${name}`.includes('*')) {
    tell('Model patterns left out', `${model}: ${name}`)
    return null
  }
  const slash = name.indexOf('/')
  const prefix = slash === -1 ? '' : name.slice(0, slash)
  const isPrefix = Object.hasOwn(TYPES, prefix)
  const provider = isPrefix ? prefix : familyOf(name)
  const key = keyOf(params, { model, provider }, tell)
  if (key === null) return null
  return {
    model,
    provider,
    key,
    upstream: isPrefix ? name.slice(slash + 1) : name,
    address: resolveValue(textIn(params, 'api_base')) ?? '',
    version: resolveValue(textIn(params, 'api_version')) ?? '',
    weight: Math.max(0, Math.round(numberIn(params, 'weight'))),
  }
}

/** LiteLLM looks a name without a prefix up in its list of models. */
function familyOf(name: string): string {
  if (name.startsWith('claude-')) return 'anthropic'
  return name.startsWith('gemini-') ? 'gemini' : 'openai'
}

/** The key in the entry, else the variable that LiteLLM reads for the provider. */
function keyOf(
  params: Row,
  { model, provider }: Pick<Deployment, 'model' | 'provider'>,
  tell: Tell,
) {
  const stated = textIn(params, 'api_key') || `os.environ/${provider.toUpperCase()}_API_KEY`
  const key = resolveValue(stated)
  if (key !== null) return key
  if (KEYLESS.has(provider)) return NO_KEY
  tell(
    'Models left out, because their key is not known',
    `${model}: set ${stated.slice('os.environ/'.length)}`,
  )
  return null
}

function channelOf(place: string, deployments: readonly Deployment[], tell: Tell): SourceChannel {
  const [first] = deployments
  if (first === undefined) throw new Error('a channel has no models')
  const { provider, key, version, weight } = first
  const address = first.address || (ADDRESSES[provider] ?? '')
  const known = TYPES[provider] ?? null
  const type = known === OPENAI && first.address !== '' ? CUSTOM : (known ?? CUSTOM)
  const name = `LiteLLM ${provider}`
  const hasAddress = address !== '' || descriptorOf(type)?.baseUrl !== ''
  const reason =
    known === null ? `${provider} has no counterpart` : hasAddress ? null : 'it has no address'
  if (reason !== null) tell('Channels imported as disabled', `${name}: ${reason}`)
  const mapping = deployments
    .filter(({ model, upstream }) => model !== upstream)
    .map(({ model, upstream }) => [model, upstream] as const)
  return {
    id: place,
    type,
    isEnabled: reason === null,
    disabledReason: reason ?? '',
    name,
    keys: [key],
    baseUrl: type === CUSTOM ? address.replace(/\/v1\/?$/, '') : address,
    other: type === AZURE ? version : '',
    models: deployments.map(({ model }) => model),
    groups: ['default'],
    modelMapping: Object.fromEntries(mapping),
    priority: 0,
    weight,
    config: known === null ? { imported_type: `litellm ${provider}` } : {},
    tag: '',
    createdTime: 0,
  }
}

/** Ratios of the prices that entries state; others come from LiteLLM's own list. */
export function readPrices(models: readonly Row[]) {
  const tables = {
    ModelRatio: new Map<string, number>(),
    CompletionRatio: new Map<string, number>(),
    CacheRatio: new Map<string, number>(),
    CacheWriteRatio: new Map<string, number>(),
  }
  for (const entry of models) {
    const model = textIn(entry, 'model_name')
    const prices = { ...objectOf(entry['model_info']), ...objectOf(entry['litellm_params']) }
    const input = numberIn(prices, 'input_cost_per_token')
    if (model === '' || input <= 0) continue
    tables.ModelRatio.set(model, rounded((input * TOKENS) / DOLLARS_PER_RATIO))
    const parts = [
      ['CompletionRatio', 'output_cost_per_token'],
      ['CacheRatio', 'cache_read_input_token_cost'],
      ['CacheWriteRatio', 'cache_creation_input_token_cost'],
    ] as const
    for (const [table, field] of parts) {
      const price = numberIn(prices, field)
      if (price > 0) tables[table].set(model, rounded(price / input))
    }
  }
  return tables
}

const TOKENS = 1_000_000
const DOLLARS_PER_RATIO = 2

const objectOf = (value: unknown): Row => (isObject(value) ? value : {})

const rounded = (ratio: number) => Math.round(ratio * 1e9) / 1e9
