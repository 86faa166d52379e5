import { encodeRequest, type RelayRequest, requestForCodec } from '@tollgate/relay'
import { type Asked, encodeCall } from '../../upstream/encode-call.ts'
import type { UpstreamCall } from '../../upstream/exchange.ts'
import type { Upstream } from '../../upstream/send.ts'
import type { Target } from './channel-registry.ts'

export type CallOptions = Pick<Asked, 'key' | 'siteUrl' | 'siteName' | 'now' | 'id'> & {
  outputLimit: number | null
  /**
   * Assistant prefill: the part of the answer that the provider continues; null for a whole answer.
   */
  begun: string | null
  /** A continuation after a stream failover. Its answer must be in OpenAI's form. */
  rescued: boolean
}

/** Encodes the request for the target's provider. Throws, or rejects with, a `CallProblem`. */
export function callFor(
  request: RelayRequest,
  { channel, upstreamModel: model }: Target,
  options: CallOptions,
  upstream: Upstream,
): UpstreamCall | Promise<UpstreamCall> {
  const { outputLimit, begun, rescued, key, siteUrl, siteName, now, id } = options
  const { endpoint, stream, task, hasExtensions = false, outline } = request
  const target = {
    model,
    descriptor: channel.descriptor,
    ...(outputLimit === null ? {} : { outputLimit }),
    ...(begun === null ? {} : { begun }),
  }
  const bytes = () => encodeRequest(request, target)
  const json = () => requestForCodec(request, target)
  const { contentType = 'application/json' } = task ?? {}
  const native = rescued ? undefined : request.native
  const own = native && { ...native, outline, bytes: () => native.encode(target) }
  const asked = {
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
    native: own,
  }
  return encodeCall(channel, asked, upstream)
}
