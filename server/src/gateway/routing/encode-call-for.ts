import { encodeRequest, nameRestorer, type RelayRequest, requestForCodec } from '@tollgate/relay'
import { type CallRequest, encodeCall } from '../../upstream/encode-call.ts'
import type { UpstreamCall } from '../../upstream/exchange.ts'
import type { Upstream } from '../../upstream/send.ts'
import type { Target } from './channel-registry.ts'

export type CallOptions = Pick<CallRequest, 'key' | 'siteUrl' | 'siteName' | 'now' | 'id'> & {
  outputLimit: number | null
  /**
   * Assistant prefill: the part of the answer that the provider continues; null for a whole answer.
   */
  prefill: string | null
  /** A continuation after a stream failover. Its answer must be in OpenAI's form. */
  isFailover: boolean
}

/** Encodes the request for the target's provider. Throws, or rejects with, a `CallProblem`. */
export function encodeCallFor(
  request: RelayRequest,
  { channel, upstreamModel: model }: Target,
  options: CallOptions,
  upstream: Upstream,
): UpstreamCall | Promise<UpstreamCall> {
  const { outputLimit, prefill, isFailover, key, siteUrl, siteName, now, id } = options
  const { endpoint, stream, task, hasExtensions = false, outline } = request
  const target = {
    model,
    descriptor: channel.descriptor,
    baseUrl: channel.baseUrl,
    cardOf: channel.overrides.cardOf,
    ...(outputLimit === null ? {} : { outputLimit }),
    ...(prefill === null ? {} : { prefill }),
  }
  const bytes = () => encodeRequest(request, target)
  const json = () => requestForCodec(request, target)
  const { contentType = 'application/json' } = task ?? {}
  const native = isFailover ? undefined : request.native
  const nativeRequest = native && { ...native, outline, bytes: () => native.encode(target) }
  const callRequest = {
    endpoint,
    model,
    stream,
    hasExtensions,
    key,
    siteUrl,
    siteName,
    now,
    id,
    bytes,
    contentType,
    json,
    nameRestorer: () => nameRestorer(request, target),
    native: nativeRequest,
  }
  return encodeCall(channel, callRequest, upstream)
}
