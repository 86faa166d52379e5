import type { ProviderDescriptor, ProviderDialect } from './provider.ts'
import { aiProxyLibrary } from './providers/ai-proxy-library/descriptor.ts'
import { ali } from './providers/ali/descriptor.ts'
import { anthropic } from './providers/anthropic/descriptor.ts'
import { azureOpenai } from './providers/azure-openai/descriptor.ts'
import { baidu } from './providers/baidu/descriptor.ts'
import { fastgpt } from './providers/fastgpt/descriptor.ts'
import {
  custom,
  genericChat,
  genericMessages,
  genericResponses,
} from './providers/generic/descriptor.ts'
import { googleGemini } from './providers/google-gemini/descriptor.ts'
import { googlePalm } from './providers/google-palm/descriptor.ts'
import { minimax } from './providers/minimax/descriptor.ts'
import { mistral } from './providers/mistral/descriptor.ts'
import { ollama } from './providers/ollama/descriptor.ts'
import {
  baichuan,
  groq,
  lingyiwanwu,
  moonshot,
  openai,
  openaiCompatible,
  openrouter,
  qihoo360,
  resellers,
} from './providers/openai-compatible/descriptor.ts'
import { spark } from './providers/spark/descriptor.ts'
import { tencent } from './providers/tencent/descriptor.ts'
import { zhipu } from './providers/zhipu/descriptor.ts'

/** All channel types, in the order of the console's forms. Data only: browsers load it too. */
export { lacksAccount } from './proxy-address-field.ts'

export const catalogue: readonly ProviderDescriptor[] = [
  openai,
  anthropic,
  azureOpenai,
  googlePalm,
  googleGemini,
  mistral,
  baidu,
  ali,
  spark,
  zhipu,
  qihoo360,
  moonshot,
  tencent,
  baichuan,
  minimax,
  groq,
  ollama,
  lingyiwanwu,
  custom,
  fastgpt,
  aiProxyLibrary,
  openrouter,
  ...resellers,
  ...openaiCompatible,
  genericChat,
  genericResponses,
  genericMessages,
]

const byType: ReadonlyMap<number, ProviderDescriptor> = new Map(
  catalogue.map((descriptor) => [descriptor.type, descriptor]),
)

export const descriptorOf = (type: number): ProviderDescriptor | undefined => byType.get(type)

export const isServable = (type: number): boolean => byType.has(type)

const OWN_ADDRESS_TYPES: ReadonlySet<number> = new Set([openai.type, custom.type, genericChat.type])

/**
 * Whether a base address of this type may have a query, such as the key of a gateway in front of
 * the provider. Types that only speak OpenAI's dialect can be replaced by a custom channel; types
 * with other protocols cannot, so they allow a query.
 */
export function takesQuery(type: number): boolean {
  const dialect = byType.get(type)?.dialect
  if (dialect === undefined || dialect === 'ai-proxy-library') return false
  return dialect !== 'openai' || OWN_ADDRESS_TYPES.has(type)
}

/** Dialects whose requests are signed, or are no JSON objects of parameters. */
const FIXED_REQUESTS: ReadonlySet<ProviderDialect> = new Set([
  'tencent',
  'spark',
  'palm',
  'ai-proxy-library',
])

/** Whether a channel of this type can set and remove parameters of its requests. */
export function takesParameters(type: number): boolean {
  const dialect = byType.get(type)?.dialect
  return dialect !== undefined && !FIXED_REQUESTS.has(dialect)
}

export function originOf({ type, base_url }: { type: number; base_url: string }): string {
  const address = base_url || (descriptorOf(type)?.baseUrl ?? '')
  return URL.canParse(address) ? new URL(address).origin : address
}

const MONEY_UNITS = {
  usd: { currency: 'USD', units: 1 },
  cny: { currency: 'CNY', units: 1 },
  'cny/10000': { currency: 'CNY', units: 10_000 },
} as const

export type MoneyBalance = { readonly amount: number; readonly currency: 'USD' | 'CNY' }

/** A reported balance as money; null if channels of the type report no money. */
export function moneyBalance(type: number, balance: number): MoneyBalance | null {
  const unit = descriptorOf(type)?.balanceUnit ?? null
  if (unit === null || unit === 'number') return null
  const { currency, units } = MONEY_UNITS[unit]
  return { amount: balance / units, currency }
}
