import { randomUUID } from 'node:crypto'
import {
  CALL_DETAILS,
  type CardLookup,
  channelAddressFault,
  classifyUpstreamError,
  descriptorFor,
  descriptorOf,
  hideSecrets,
  rejectsMaxTokens,
  problemFromTransport,
  type ProviderCall,
  jsonIn,
  readAnswer,
  summaryOf,
  redact,
  type ChannelOffer,
} from '@tollgate/relay'
import { mappedModel } from '../domain/model-mapping.ts'
import { CallProblem } from './call-problem.ts'
import { overridesOf } from './channel-overrides.ts'
import { proxyOf } from './channel-proxy.ts'
import { encodeCall } from './encode-call.ts'
import type { UpstreamCall } from './exchange.ts'
import { withTokenRefused } from './key-exchange.ts'
import { type CollectedAnswer, isSuccess, sendAndCollect, deadlineSignal } from './read-response.ts'
import type { Upstream } from './send.ts'

export type ProbedChannel = {
  type: number
  key: string
  base_url: string
  other: string
  /** JSON, as stored. */
  config: string
  /** JSON, as stored. */
  model_mapping: string
}

export type ProbeResult = {
  ok: boolean
  milliseconds: number
  /** Empty on success, otherwise the problem without provider secrets. */
  message: string
  /** The model's text on success, without provider secrets; empty for embeddings. */
  reply: string
  /** The requested model, before mapping. */
  model: string
  /** The account or key itself was refused. */
  namesKey: boolean
}

const OUTPUT_TOKENS = 16
/** An operator waits for the result in a form. */
const PROBE_MS = 60_000

/** Sends one small request to a channel; nothing is charged or logged. */
export async function probeChannel({
  upstream,
  channel,
  model,
  siteUrl,
  siteName,
  now,
  signal,
}: {
  upstream: Upstream
  channel: ProbedChannel
  model: string
  siteUrl: string
  siteName: string
  now: () => number
  signal?: AbortSignal | undefined
}): Promise<ProbeResult> {
  const started = now()
  const resultOf = (message: string, namesKey = false): ProbeResult => ({
    ok: message === '',
    milliseconds: Math.max(0, Math.round(now() - started)),
    message,
    reply: '',
    model,
    namesKey,
  })
  const descriptor = descriptorOf(channel.type)
  if (descriptor === undefined) return resultOf(`Channel type ${channel.type} is not known.`)
  const endpoint = probeEndpoint(descriptor.supports, model)
  const upstreamModel = mappedModel(channel.model_mapping, model)
  const { key, base_url: baseUrl, other } = channel
  const overrides = overridesOf(channel.config)
  const json = probeRequest(endpoint, upstreamModel, overrides.cardOf)
  const callRequest = {
    endpoint,
    model: upstreamModel,
    stream: false,
    contentType: 'application/json',
    key,
    siteUrl,
    siteName,
    now: started,
    id: randomUUID(),
    bytes: () => Buffer.from(JSON.stringify(json)),
    json: () => json,
  }
  const proxy = proxyOf(channel.config)
  const addressFault = channelAddressFault({ type: channel.type, baseUrl, proxy })
  const sent = descriptorFor(
    { descriptor, baseUrl, other, overrides, apiMemory: { lacksResponses: false } },
    { endpoint, outline: json },
    upstreamModel,
  )
  const callChannel = { descriptor: sent, baseUrl, other, proxy, addressFault, overrides }
  const call = await callOf(() => encodeCall(callChannel, callRequest, upstream))
  if (call instanceof CallProblem) return resultOf(call.problem.detail, call.problem.namesKey)
  const answer = await sendAndCollect(upstream, call, { signal: deadlineSignal(PROBE_MS, signal) })
  if (typeof answer === 'string') return resultOf(problemFromTransport(answer).detail)
  const channelSecrets = { key, baseUrl, proxy, headers: overrides.headers }
  const read = summaryIn(answer, { endpoint, upstreamModel })
  if (!isSuccess(answer.status) || !read.complete) {
    const failure = classifyUpstreamError({ ...answer, channelSecrets, now: now() })
    const problem = withTokenRefused(failure, call.onTokenRefused)
    return resultOf(problem.detail, problem.namesKey)
  }
  const isCounted = read.usage !== null || descriptor.mayOmitUsage?.includes(endpoint)
  if (!isCounted) return resultOf(CALL_DETAILS.noUsage.en)
  return { ...resultOf(''), reply: redact(hideSecrets(read.outputText(), channelSecrets)) }
}

const summaryIn = (
  { answer, body }: CollectedAnswer,
  { endpoint, upstreamModel }: { endpoint: 'chat' | 'embeddings'; upstreamModel: string },
) => (answer ? summaryOf(answer, upstreamModel) : readAnswer(endpoint, jsonIn(body)))

async function callOf(
  encode: () => UpstreamCall | Promise<UpstreamCall>,
): Promise<UpstreamCall | CallProblem> {
  try {
    return await encode()
  } catch (error) {
    if (error instanceof CallProblem) return error
    throw error
  }
}

function probeEndpoint(supports: readonly ChannelOffer[], model: string): 'chat' | 'embeddings' {
  const embeds = supports.includes('embeddings') && /embed|^bge-|^m3e/i.test(model)
  return embeds || !supports.includes('chat') ? 'embeddings' : 'chat'
}

function probeRequest(
  endpoint: 'chat' | 'embeddings',
  model: string,
  cardOf: CardLookup,
): ProviderCall['request'] {
  if (endpoint === 'embeddings') return { model, input: 'hi' }
  const messages = [{ role: 'user', content: 'hi' }]
  return rejectsMaxTokens(model, cardOf)
    ? { model, messages, max_completion_tokens: OUTPUT_TOKENS }
    : { model, messages, max_tokens: OUTPUT_TOKENS }
}
