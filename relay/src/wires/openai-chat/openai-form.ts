import { bearer, versionedAddress, jsonHeaders } from '../../addresses/upstream-request.ts'
import { isRecord, type JsonRecord } from '../../bytes/json-value.ts'
import { SseSplitter } from '../../bytes/sse.ts'
import { cardFor } from '../../cards/card-of.ts'
import type { Vendor } from '../../cards/model-card.ts'
import type { ChunkDecoder } from '../../form/chat-chunk.ts'
import { RELAY_PATHS } from '../../provider.ts'
import type { EncodedCall, ProviderCall } from '../provider-codec.ts'
import { plainRequest } from './plain-request.ts'

/*
 * For providers that speak OpenAI's format in addition to their own. The form of the key selects
 * the format.
 */

type OpenaiForm = {
  readonly host: Vendor
  readonly baseUrl: string
  readonly version: string
  readonly members?: JsonRecord
}

/** Passes the request on with `members` added. A stream always ends with its usage. */
export function openaiFormCall(
  call: ProviderCall,
  { host, baseUrl, version, members = {} }: OpenaiForm,
): EncodedCall {
  const { endpoint, request, stream, channel } = call
  const options = request['stream_options']
  const usageOption = {
    stream_options: { ...(isRecord(options) ? options : {}), include_usage: true },
  }
  const body = {
    ...plainRequest(call, cardFor(call, host)),
    ...(stream ? usageOption : {}),
    ...members,
  }
  return {
    url: versionedAddress(
      channel.baseUrl || baseUrl,
      version,
      RELAY_PATHS[endpoint].replace(/^\/v1/, ''),
    ),
    headers: { ...jsonHeaders(stream), ...bearer(channel.key) },
    body: Buffer.from(JSON.stringify(body)),
  }
}

/** Passes a stream on unchanged, event by event. */
export function openaiFormDecoder(): ChunkDecoder {
  const splitter = new SseSplitter()
  return {
    form: 'chunks',
    push: (chunk) => splitter.push(chunk),
    end: () => {
      const rest = splitter.end()
      return rest.length === 0 ? [] : [Buffer.concat([rest, Buffer.from('\n\n')])]
    },
  }
}
