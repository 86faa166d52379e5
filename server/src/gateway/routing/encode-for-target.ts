import {
  type Adaptations,
  compactsConversations,
  encodeRequest,
  type EncodingTarget,
  fitRequest,
  NameRestorer,
  ownRenames,
  preparation,
  type ProviderDescriptor,
  type RelayRequest,
  requestForCodec,
  type Steps,
} from '@tollgate/relay'
import { isLight } from '../../scheduler/fair-scheduler.ts'
import { type CallContent, type CallInput, encodeCall } from '../../upstream/encode-call.ts'
import type { UpstreamCall } from '../../upstream/exchange.ts'
import type { Upstream } from '../../upstream/send.ts'
import type { Target } from './channel-registry.ts'

export type CallOptions = Pick<CallInput, 'key' | 'siteUrl' | 'siteName' | 'now' | 'id'> & {
  outputLimit: number | null
  /**
   * Assistant prefill: the part of the answer that the provider continues; null for a whole answer.
   */
  prefill: string | null
  /** The provider does not get the client's own request, even if it speaks the same dialect. */
  skipsNative: boolean
  /** Leaves out encrypted reasoning, which the provider cannot read. */
  dropsReasoning: boolean
  /** Replaces compaction items, which the provider cannot read. */
  dropsCompaction: boolean
  /** Collects what the provider gets changed. */
  adaptations: Adaptations
}

export type SentTarget = Pick<Target, 'channel' | 'upstreamModel'> & {
  /** The channel's descriptor, or its variant for another API. */
  readonly descriptor: ProviderDescriptor
}

/** Reads in steps what encoding a large request needs; null if it can be encoded at once. */
export function stepsBefore(
  request: RelayRequest,
  { channel, upstreamModel: model, descriptor }: SentTarget,
  options: CallOptions,
): Steps<unknown> | null {
  if (isLight(request.body.length)) return null
  const { cardOf } = channel.overrides
  const { baseUrl } = channel
  const { dropsReasoning, skipsNative: isTranslated } = options
  const dropsCompaction = dropsCompactionAt(channel, model, options)
  const dropped = { dropsReasoning, dropsCompaction }
  return preparation(request, descriptor, { model, baseUrl, isTranslated, ...dropped, cardOf })
}

/** Encodes the request for the target's provider. Throws, or rejects with, a `CallProblem`. */
export function encodeForTarget(
  request: RelayRequest,
  { channel, upstreamModel: model, descriptor }: SentTarget,
  options: CallOptions,
  upstream: Upstream,
): UpstreamCall | Promise<UpstreamCall> {
  const { outputLimit, prefill, adaptations } = options
  const { key, siteUrl, siteName, now, id } = options
  const { endpoint, stream, task, isTranslated = false, outline } = request
  const encodeTarget: EncodingTarget & { readonly dropsCompaction: boolean } = {
    model,
    descriptor,
    baseUrl: channel.baseUrl,
    cardOf: channel.overrides.cardOf,
    dropsReasoning: options.dropsReasoning,
    dropsCompaction: dropsCompactionAt(channel, model, options),
    adaptations,
  }
  if (outputLimit !== null) encodeTarget.outputLimit = outputLimit
  if (prefill !== null) encodeTarget.prefill = prefill
  const { contentType = 'application/json' } = task ?? {}
  const native = options.skipsNative ? undefined : request.native
  const nativeRequest = native && { ...native, outline, bytes: () => native.encode(encodeTarget) }
  const input = {
    endpoint,
    model,
    stream,
    isTranslated,
    adaptations,
    key,
    siteUrl,
    siteName,
    now,
    id,
    content: new TargetContent(request, encodeTarget),
    contentType,
    native: nativeRequest,
  }
  const isOwn = descriptor === channel.descriptor
  return encodeCall(isOwn ? channel : { ...channel, descriptor }, input, upstream)
}

const dropsCompactionAt = (
  channel: Target['channel'],
  model: string,
  { dropsCompaction }: CallOptions,
): boolean => dropsCompaction || !compactsConversations(channel, model)

/** The request as the target gets it, which is fitted to the target at most once. */
class TargetContent implements CallContent {
  readonly #request: RelayRequest
  readonly #target: EncodingTarget
  #fitted: ReturnType<typeof fitRequest> | undefined

  constructor(request: RelayRequest, target: EncodingTarget) {
    this.#request = request
    this.#target = target
  }

  bytes() {
    return encodeRequest(this.#request, this.#target, this.#fit())
  }

  json() {
    return requestForCodec(this.#request, this.#target, this.#fit())
  }

  form() {
    return this.#fit()?.form ?? null
  }

  nameRestorer() {
    const renames = this.#fit()?.renames ?? ownRenames(this.#request, this.#target)
    return renames.size === 0 ? null : new NameRestorer(renames)
  }

  #fit() {
    if (this.#fitted === undefined) this.#fitted = fitRequest(this.#request, this.#target)
    return this.#fitted
  }
}
