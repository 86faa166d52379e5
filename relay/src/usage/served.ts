import type { Served, ToolCalls } from '@tollgate/contract'
import { isRecord, type JsonRecord, textOf } from '../bytes/json-value.ts'
import { memoize } from '../bytes/memoize.ts'

/** No answer has more calls of a tool. Larger reports are mistakes. */
const CALLS_MAX = 1000
const TOOL_NAME = /^[a-z][a-z_]{0,39}$/

/** Names that all mean the standard price. */
const STANDARD: ReadonlySet<string> = new Set([
  '',
  'auto',
  'default',
  'standard',
  'standard_only',
  'on_demand',
  'unspecified',
])

/** The plain name of a service tier; undefined for the standard tier. */
export const tierNamed = (value: unknown): string | undefined => plainTier(textOf(value))

const plainTier = memoize((text) => {
  const name = text
    .trim()
    .toLowerCase()
    .replace(/^service_tier_/, '')
  if (STANDARD.has(name)) return undefined
  // OpenAI's two names of one tier.
  return name === 'fast' ? 'priority' : name
})

const NO_CALLS: readonly ToolCalls[] = []

const NO_REGIONS: ReadonlySet<string> = new Set(['', 'global', 'not_available'])

/** Anthropic's name of a region; undefined if the answer may have been made anywhere. */
export function regionNamed(value: unknown): string | undefined {
  const name = textOf(value).trim().toLowerCase()
  return NO_REGIONS.has(name) ? undefined : name
}

type Parts = {
  readonly tier: string | undefined
  readonly region?: string | undefined
  readonly toolCalls?: readonly ToolCalls[]
}

/** Undefined for an answer that was served as any other. */
export function servedOf({ tier, region, toolCalls = NO_CALLS }: Parts): Served | undefined {
  const calls =
    toolCalls.length === 0 ? NO_CALLS : toolCalls.filter(({ calls: count }) => count > 0)
  if (tier === undefined && region === undefined && calls.length === 0) return undefined
  return {
    ...(tier === undefined ? {} : { tier }),
    ...(region === undefined ? {} : { region }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
  }
}

/** Members of a usage report in OpenAI's form, for `servedIn`. */
export const servedMembers = ({ tier, region, toolCalls }: Served): JsonRecord => ({
  ...(tier === undefined ? {} : { service_tier: tier }),
  ...(region === undefined ? {} : { inference_geo: region }),
  ...(toolCalls === undefined
    ? {}
    : {
        server_tool_use: Object.fromEntries(
          toolCalls.map(({ tool, calls }) => [`${tool}_requests`, calls]),
        ),
      }),
})

/** Reads a chat completion or its chunk: its own service tier, and its usage report. */
export function servedIn(report: unknown, serviceTier: unknown): Served | undefined {
  if (!isRecord(report)) {
    return serviceTier === undefined ? undefined : servedOf({ tier: tierNamed(serviceTier) })
  }
  return servedOf({
    tier: tierNamed(serviceTier) ?? reportedTier(report['service_tier']),
    region: regionNamed(report['inference_geo']),
    toolCalls: toolCallsIn(report),
  })
}

/** Anthropic's `fast` is a tier of its own. */
const reportedTier = (value: unknown) =>
  textOf(value).toLowerCase() === 'fast' ? 'fast' : tierNamed(value)

/**
 * `server_tool_use` is Anthropic's, and what codecs here write; the other member is xAI's:
 * https://docs.x.ai/developers/tools/overview
 */
export function toolCallsIn(report: JsonRecord): readonly ToolCalls[] {
  const { server_tool_use: requests, server_side_tool_usage_details: calls } = report
  if (requests === undefined && calls === undefined) return NO_CALLS
  return [...countsIn(requests, /^(.+)_requests$/), ...countsIn(calls, /^(.+)_calls$/)]
}

function countsIn(counts: unknown, pattern: RegExp): ToolCalls[] {
  if (!isRecord(counts)) return []
  return Object.entries(counts).flatMap(([name, calls]) => {
    const tool = pattern.exec(name)?.[1] ?? ''
    const isCount = typeof calls === 'number' && Number.isInteger(calls)
    if (!isCount || calls <= 0 || calls > CALLS_MAX || !TOOL_NAME.test(tool)) return []
    return [{ tool, calls }]
  })
}

/** One call each, by tool. */
export function countTools(tools: readonly string[]): ToolCalls[] {
  const counts = new Map<string, number>()
  for (const tool of tools) counts.set(tool, (counts.get(tool) ?? 0) + 1)
  return [...counts].map(([tool, calls]) => ({ tool, calls: Math.min(calls, CALLS_MAX) }))
}

/** Anthropic's usage: https://platform.claude.com/docs/en/api/messages */
export function servedInMessage(usage: unknown): Served | undefined {
  if (!isRecord(usage)) return undefined
  const isFast = textOf(usage['speed']).toLowerCase() === 'fast'
  return servedOf({
    tier: isFast ? 'fast' : tierNamed(usage['service_tier']),
    region: regionNamed(usage['inference_geo']),
    toolCalls: toolCallsIn(usage),
  })
}
