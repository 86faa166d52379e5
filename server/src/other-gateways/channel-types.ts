import { isServable } from '@tollgate/relay/catalogue'

/** A type of this product, with the address of the provider if the type has none of its own. */
type Served = { readonly type: number; readonly baseUrl?: string }

export type MappedType = Served | { readonly reason: string }

const CUSTOM = 8
const WITHOUT_VERSION = 50

/** Numbers of One API and its forks that this product does not serve. */
const NOT_SERVED = {
  oneApi: {
    33: 'AWS Bedrock',
    34: 'Coze',
    37: 'Cloudflare Workers AI',
    38: 'DeepL',
    42: 'Google Vertex AI',
    43: 'Proxy',
    46: 'Replicate',
  },
  newApi: {
    2: 'Midjourney proxy',
    5: 'Midjourney Plus',
    33: 'AWS Bedrock',
    36: 'Suno',
    37: 'Dify',
    39: 'Cloudflare Workers AI',
    41: 'Google Vertex AI',
    44: 'MokaAI',
    49: 'Coze',
    50: 'Kling',
    51: 'Jimeng',
    52: 'Vidu',
    54: 'Doubao video',
    55: 'Sora',
    56: 'Replicate',
    57: 'Codex account',
    58: 'Advanced custom channel',
  },
  oneHub: {
    24: 'Azure Speech',
    32: 'AWS Bedrock',
    34: 'Midjourney',
    35: 'Cloudflare Workers AI',
    37: 'Stability AI',
    38: 'Coze',
    41: 'Suno',
    42: 'Google Vertex AI',
    44: 'Ideogram',
    46: 'Flux',
    48: 'Rerank server',
    51: 'Recraft',
    52: 'Replicate',
    53: 'Kling',
    54: 'Databricks',
    57: 'Gemini CLI account',
    58: 'Claude Code account',
    59: 'Codex account',
    60: 'Antigravity account',
    61: 'Vertex Express',
    62: 'AWS Bedrock',
  },
} as const satisfies Record<string, Readonly<Record<number, string>>>

export type TypeFamily = keyof typeof NOT_SERVED

const compatible = (baseUrl = ''): Served => ({ type: CUSTOM, ...(baseUrl && { baseUrl }) })

/** Numbers that mean another vendor than in One API, whose numbers this product has. */
const RENUMBERED: Readonly<Record<TypeFamily, Readonly<Record<number, Served>>>> = {
  oneApi: {},
  newApi: {
    4: { type: 30 },
    26: { type: 16 },
    27: { type: WITHOUT_VERSION, baseUrl: 'https://api.perplexity.ai' },
    34: { type: 35 },
    35: { type: 27 },
    38: compatible('https://api.jina.ai'),
    40: { type: 44 },
    42: { type: 28 },
    43: { type: 36 },
    45: { type: 40 },
    46: { type: 47 },
    47: compatible(),
    48: { type: 45 },
    53: compatible('https://llm.submodel.ai'),
    59: compatible(),
    60: compatible(),
  },
  oneHub: {
    25: { type: 24 },
    28: { type: 36 },
    29: { type: 25 },
    30: { type: 28 },
    31: { type: 29 },
    33: { type: 31 },
    36: { type: 35 },
    39: { type: 30 },
    40: compatible('https://api.hunyuan.cloud.tencent.com'),
    43: compatible(),
    45: { type: 44 },
    47: compatible('https://api.jina.ai'),
    49: { type: WITHOUT_VERSION, baseUrl: 'https://models.inference.ai.azure.com' },
    55: { type: 3 },
    56: { type: 45 },
  },
}

/** The largest number that the forks have in common with One API. */
const COMMON_MAX = 31

/** What a channel of another gateway becomes; a reason if no type here serves it. */
export function mapChannelType(family: TypeFamily, type: number): MappedType {
  const notServed: Readonly<Record<number, string>> = NOT_SERVED[family]
  const renumbered = RENUMBERED[family][type]
  if (renumbered !== undefined) return renumbered
  const name = notServed[type]
  if (name !== undefined) return { reason: `${name} (type ${type}) has no counterpart` }
  const hasNumber = family === 'oneApi' || type <= COMMON_MAX
  return hasNumber && isServable(type) ? { type } : { reason: `type ${type} is not known` }
}
