import { descriptorOf } from '@tollgate/relay'

/**
 * Names of `gen_ai.provider.name` by channel type, from OpenTelemetry's conventions for generative
 * AI. The conventions allow other names too.
 */
const WELL_KNOWN: ReadonlyMap<number, string> = new Map([
  [1, 'openai'],
  [3, 'azure.ai.openai'],
  [8, 'custom'],
  [11, 'gcp.gemini'],
  [14, 'anthropic'],
  [24, 'gcp.gemini'],
  [25, 'moonshot_ai'],
  [28, 'mistral_ai'],
  [29, 'groq'],
  [35, 'cohere'],
  [36, 'deepseek'],
  [45, 'x_ai'],
  [51, 'gcp.gemini'],
])

export const providerName = (channelType: number): string =>
  WELL_KNOWN.get(channelType) ?? slugOf(descriptorOf(channelType)?.name.en ?? 'unknown')

const slugOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
