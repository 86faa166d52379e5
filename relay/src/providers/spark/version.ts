import type { ProviderCall } from '../../wires/provider-codec.ts'

export type SparkVersion = {
  readonly path: string
  readonly domain: string
  /** Upper bound on `max_tokens`; null if unknown. */
  readonly maxTokens: number | null
  /** Supports system messages and functions. */
  readonly supportsTools: boolean
  /** Searches the web unless the request turns it off. */
  readonly searches: boolean
}

const DEFAULT_VERSION = version('/v2.1/chat', 'generalv2', 4096)

/**
 * iFlytek's reference of the WebSocket interface (2025): paths, domains, limits and capabilities.
 */
const VERSIONS: Readonly<Record<string, SparkVersion>> = {
  'v1.1': version('/v1.1/chat', 'lite', 4096),
  'v2.1': DEFAULT_VERSION,
  'v3.1': version('/v3.1/chat', 'generalv3', 8192, 'searches'),
  'v3.1-128k': version('/chat/pro-128k', 'pro-128k', 4096),
  'v3.5': version('/v3.5/chat', 'generalv3.5', 8192, 'tools', 'searches'),
  'v3.5-32k': version('/chat/max-32k', 'max-32k', 8192, 'tools'),
  'v4.0': version('/v4.0/chat', '4.0Ultra', 8192, 'tools', 'searches'),
  x1: version('/v1/x1', 'x1', null, 'tools'),
  'x1.5': version('/v1/x1', 'spark-x', null, 'tools'),
  x2: version('/x2', 'spark-x', null, 'tools'),
}

function version(
  path: string,
  domain: string,
  maxTokens: number | null,
  ...abilities: readonly ('tools' | 'searches')[]
): SparkVersion {
  const supportsTools = abilities.includes('tools')
  return { path, domain, maxTokens, supportsTools, searches: abilities.includes('searches') }
}

const MODEL_VERSIONS: ReadonlyMap<string, string> = new Map([
  ['lite', 'v1.1'],
  ['spark-lite', 'v1.1'],
  ['spark-pro', 'v3.1'],
  ['generalv3', 'v3.1'],
  ['spark-pro-128k', 'v3.1-128k'],
  ['pro-128k', 'v3.1-128k'],
  ['spark-max', 'v3.5'],
  ['generalv3.5', 'v3.5'],
  ['spark-max-32k', 'v3.5-32k'],
  ['max-32k', 'v3.5-32k'],
  ['spark-4.0-ultra', 'v4.0'],
  ['4.0ultra', 'v4.0'],
  ['spark-x', 'x1.5'],
])
const UNLISTED = /^v\d+(?:\.\d+)?$/

/** The version in the model's name (`SparkDesk-v3.5`), else the channel's, else the default. */
export function versionOf({
  model,
  channel,
}: Pick<ProviderCall, 'model' | 'channel'>): SparkVersion {
  const name = model.toLowerCase()
  const modelVersion = MODEL_VERSIONS.get(name) ?? name.slice(name.indexOf('-') + 1)
  const channelVersion = channel.other.trim().toLowerCase()
  return (
    named(modelVersion) ?? named(channelVersion) ?? named(`v${channelVersion}`) ?? DEFAULT_VERSION
  )
}

function named(name: string): SparkVersion | undefined {
  if (Object.hasOwn(VERSIONS, name)) return VERSIONS[name]
  return UNLISTED.test(name) ? unlisted(name) : undefined
}

/**
 * A version newer than this table is built like the earlier ones, with all features of the latest.
 */
const unlisted = (name: string): SparkVersion =>
  version(`/${name}/chat`, `general${name}`, null, 'tools', 'searches')
