import { type ApiRequest, descriptorFor, type ProviderDescriptor } from '@tollgate/relay'
import type { Target } from './channel-registry.ts'

/** The descriptor under which the request is sent to the target: OpenAI has two APIs. */
export function descriptorOfTarget(
  { channel, upstreamModel }: Pick<Target, 'channel' | 'upstreamModel'>,
  request: ApiRequest,
): ProviderDescriptor {
  const { descriptor, baseUrl, other, apis, apiMemory } = channel
  const { lacksResponses } = apiMemory
  return descriptorFor({ descriptor, baseUrl, other, apis, lacksResponses }, request, upstreamModel)
}
