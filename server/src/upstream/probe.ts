import { randomUUID } from 'node:crypto'
import type { TestEndpoint } from '@tollgate/contract'
import {
  CALL_DETAILS,
  channelAddressFault,
  classifyUpstreamError,
  descriptorFor,
  descriptorOf,
  hideSecrets,
  problemFromTransport,
  type ProviderDescriptor,
  redact,
  summaryOf,
  type UpstreamProblem,
} from '@tollgate/relay'
import { mappedModel } from '../domain/model-mapping.ts'
import { CallProblem } from './call-problem.ts'
import { type ChannelOverrides, overridesOf } from './channel-overrides.ts'
import { proxyOf } from './channel-proxy.ts'
import { encodeCall } from './encode-call.ts'
import type { UpstreamCall } from './exchange.ts'
import { withTokenRefused } from './key-exchange.ts'
import { type ProbePlan, probePlan, type ProbeStep } from './probe-plan.ts'
import { type ProbeRequest, probeRequest } from './probe-request.ts'
import { deadlineSignal, isSuccess, sendAndCollect } from './read-response.ts'
import { sendAndGather } from './read-stream.ts'
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
  /** `untestable`: no endpoint can test the model, which says nothing about the channel. */
  outcome: 'passed' | 'failed' | 'untestable'
  milliseconds: number
  /** Empty if passed, otherwise the problem without provider secrets. */
  message: string
  /** The model's text if passed, without provider secrets; empty for other output. */
  reply: string
  /** The requested model, before mapping. */
  model: string
  /** The endpoint of the last request; empty if none was sent. */
  endpoint: TestEndpoint | ''
  /** The account or key itself was refused. */
  namesKey: boolean
}

/** An operator waits for the result in a form. */
const PROBE_MS = 60_000

type ProbeInput = {
  upstream: Upstream
  channel: ProbedChannel
  model: string
  /** Chosen by the operator; by default the endpoint that the model's card names. */
  endpoint?: TestEndpoint | undefined
  siteUrl: string
  siteName: string
  now: () => number
  signal?: AbortSignal | undefined
}

/**
 * Sends a small request to a channel, and further ones while the provider says that the endpoint is
 * wrong for the model. Nothing is charged or logged.
 */
export async function probeChannel(input: ProbeInput): Promise<ProbeResult> {
  const { channel, model, endpoint, signal } = input
  const blank = { milliseconds: 0, reply: '', model, endpoint: '' } as const
  const failed = (message: string): ProbeResult => ({
    ...blank,
    outcome: 'failed',
    message,
    namesKey: false,
  })
  const descriptor = descriptorOf(channel.type)
  if (descriptor === undefined) return failed(`Channel type ${channel.type} is not known.`)
  const upstreamModel = mappedModel(channel.model_mapping, model)
  const overrides = overridesOf(channel.config)
  const target = { descriptor, baseUrl: channel.base_url, overrides }
  const plan = probePlan(target, upstreamModel, endpoint)
  if (plan.steps.length === 0) {
    const message = CALL_DETAILS.noTest.en
    return { ...failed(message), outcome: 'untestable' }
  }
  const until = deadlineSignal(PROBE_MS, signal)
  const tried = await tryAll({ ...input, ...target, upstreamModel, plan, until })
  const { step, milliseconds, problem, reply } = tried
  const shown = { ...blank, endpoint: step.endpoint, milliseconds, reply }
  if (problem === null) return { ...shown, outcome: 'passed', message: '', namesKey: false }
  const outcome = !plan.isKnown && isRefusalOfEndpoint(problem) ? 'untestable' : 'failed'
  return { ...shown, outcome, message: problem.detail, namesKey: problem.namesKey }
}

type Probe = Omit<ProbeInput, 'signal' | 'endpoint'> & {
  descriptor: ProviderDescriptor
  overrides: ChannelOverrides
  upstreamModel: string
  plan: ProbePlan
  until: AbortSignal
}

type Tried = {
  step: ProbeStep
  milliseconds: number
  /** Null if the request passed. */
  problem: UpstreamProblem | null
  reply: string
}

/** The first step that passes or fails for another reason than its endpoint; else the first. */
async function tryAll(probe: Probe): Promise<Tried> {
  const [first, ...others] = probe.plan.steps
  if (first === undefined) throw new Error('a plan without steps was tried')
  const firstTried = await tryStep(probe, first)
  if (!isWrongEndpoint(firstTried.problem)) return firstTried
  for (const step of others) {
    const tried = await tryStep(probe, step)
    if (!isWrongEndpoint(tried.problem)) return tried
  }
  return firstTried
}

/** A request that is refused because it is no stream is repeated as a stream. */
async function tryStep(probe: Probe, step: ProbeStep): Promise<Tried> {
  const tried = await send(probe, step)
  const isText = step.endpoint === 'chat' || step.endpoint === 'responses'
  if (!isText || step.stream || !asksForStream(tried.problem)) return tried
  return send(probe, { ...step, stream: true })
}

const asksForStream = (problem: UpstreamProblem | null) =>
  problem?.kind === 'invalid_request' && /\bstream/i.test(problem.detail)

/** The provider says that it does not serve the model here, or does not understand the request. */
const isRefusalOfEndpoint = ({ kind }: UpstreamProblem) =>
  kind === 'not_offered' || kind === 'invalid_request'

const isWrongEndpoint = (problem: UpstreamProblem | null) =>
  problem !== null &&
  (isRefusalOfEndpoint(problem) || (problem.kind === 'model_missing' && !problem.namesModel))

async function send(probe: Probe, step: ProbeStep): Promise<Tried> {
  const { upstream, upstreamModel: model, plan, now, until, descriptor } = probe
  const started = now()
  const end = (problem: UpstreamProblem | null, reply = ''): Tried => ({
    step,
    milliseconds: Math.max(0, Math.round(now() - started)),
    problem,
    reply,
  })
  const request = probeRequest(step.endpoint, { model, stream: step.stream, card: plan.card })
  const call = await encoded(probe, step, request)
  if (call instanceof CallProblem) return end(call.problem)
  const sending = step.stream ? sendAndGather : sendAndCollect
  const answer = await sending(upstream, call, { signal: until })
  if (typeof answer === 'string') return end(problemFromTransport(answer))
  const secrets = secretsOf(probe)
  const { 'content-type': type = '' } = answer.headers
  const read = answer.answer
    ? summaryOf(answer.answer, model)
    : request.readAnswer(answer.body, type)
  if (!isSuccess(answer.status) || !read.complete) {
    const failure = classifyUpstreamError({ ...answer, channelSecrets: secrets, now: now() })
    return end(withTokenRefused(failure, call.onTokenRefused))
  }
  const mayOmit = !request.needsUsage || descriptor.mayOmitUsage?.includes(request.endpoint)
  if (read.usage === null && mayOmit !== true) return end(noUsage())
  return end(null, redact(hideSecrets(read.outputText(), secrets)))
}

const noUsage = (): UpstreamProblem => ({
  ...problemFromTransport('malformed'),
  detail: CALL_DETAILS.noUsage.en,
})

function secretsOf({ channel, overrides }: Probe) {
  const { key, base_url: baseUrl, config } = channel
  return { key, baseUrl, proxy: proxyOf(config), headers: overrides.headers }
}

async function encoded(
  { upstream, channel, descriptor, overrides, siteUrl, siteName, now, upstreamModel }: Probe,
  { endpoint }: ProbeStep,
  request: ProbeRequest,
): Promise<UpstreamCall | CallProblem> {
  const { key, base_url: baseUrl, other, type } = channel
  const { json, bytes, contentType, stream } = request
  const proxy = proxyOf(channel.config)
  const addressFault = channelAddressFault({ type, baseUrl, proxy })
  const apis = endpoint === 'responses' ? { apis: ['responses'] as const } : {}
  const api = { lacksResponses: false }
  const sent = descriptorFor(
    { descriptor, baseUrl, other, overrides: { ...overrides, ...apis }, apiMemory: api },
    { endpoint: request.endpoint, outline: json },
    upstreamModel,
  )
  const callRequest = {
    endpoint: request.endpoint,
    model: upstreamModel,
    stream,
    contentType,
    key,
    siteUrl,
    siteName,
    now: now(),
    id: randomUUID(),
    content: { bytes: () => bytes, json: () => json },
  }
  try {
    const callChannel = { descriptor: sent, baseUrl, other, proxy, addressFault, overrides }
    const call = await encodeCall(callChannel, callRequest, upstream)
    return call
  } catch (error) {
    if (error instanceof CallProblem) return error
    throw error
  }
}
