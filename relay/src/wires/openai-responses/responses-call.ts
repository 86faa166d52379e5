import { bearer, jsonHeaders } from '../../addresses/request-url.ts'
import { headerText, upstreamUrl } from '../../addresses/upstream-request.ts'
import type { ProviderDescriptor } from '../../provider.ts'
import { azureOpenai } from '../../providers/azure-openai/descriptor.ts'
import { azureResponsesUrl, azureVersion } from '../azure-address.ts'
import type { EncodedCall, ProviderCall } from '../provider-codec.ts'

const PATH = '/v1/responses'

/** Without a base URL the result is no URL, and a connection fails. */
export function responsesCall(
  descriptor: ProviderDescriptor,
  { channel, model, stream }: Pick<ProviderCall, 'channel' | 'model' | 'stream'>,
  body: Buffer,
): EncodedCall {
  const { baseUrl, key, other } = channel
  if (descriptor.type === azureOpenai.type) {
    return {
      url: azureResponsesUrl(baseUrl, azureVersion(other)),
      headers: { 'api-key': headerText(key), ...jsonHeaders(stream) },
      body,
    }
  }
  return {
    url: upstreamUrl({ descriptor, baseUrl, path: PATH, model }) ?? '',
    headers: { ...bearer(key), ...jsonHeaders(stream) },
    body,
  }
}
