import type { Attributes } from '@opentelemetry/api'
import type { AttemptRecord } from '@tollgate/contract'
import { END_REASON } from '@tollgate/contract'
import type { RelayEndpoint } from '@tollgate/relay'
import type { TracedAttempt } from '../gateway/request-trace.ts'
import type { EndRecord } from '../ledger/record.ts'
import { providerName } from './provider-names.ts'

/*
 * Attributes of spans and metrics. The names `gen_ai.…` follow OpenTelemetry's conventions for
 * generative AI, which are still in development:
 * https://github.com/open-telemetry/semantic-conventions-genai
 */

const MS = 1000
const ERROR_STATUS = 400

const OPERATIONS: Partial<Record<RelayEndpoint, string>> = {
  chat: 'chat',
  completions: 'text_completion',
  embeddings: 'embeddings',
}

/** Endpoints for which the conventions have no operation keep their own name. */
export const operationOf = (endpoint: RelayEndpoint): string => OPERATIONS[endpoint] ?? endpoint

/** Undefined for a request that ended as it should. */
export const errorTypeOf = ({ endReason }: EndRecord): string | undefined =>
  endReason === END_REASON.finished ? undefined : endReason

/** Undefined for an attempt that succeeded. Never holds a provider's message. */
export function attemptErrorOf({ status, reason }: AttemptRecord): string | undefined {
  if (status >= ERROR_STATUS) return String(status)
  const [word] = reason.split(':')
  return word === '' ? undefined : word
}

/** Names, counts and ids, never a prompt, an answer or a key. */
export function requestAttributes(record: EndRecord, operation: string): Attributes {
  const { context, basis, firstTokenMs, upstreamModel, channel } = record
  const errorType = errorTypeOf(record)
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.request.model': context.model,
    'gen_ai.request.stream': context.isStream,
    'user.id': String(context.userId),
    'tollgate.request.id': context.requestId,
    'tollgate.token.id': context.tokenId,
    'tollgate.outcome': record.outcome,
    ...(upstreamModel !== '' && { 'gen_ai.response.model': upstreamModel }),
    ...(channel !== 0 && { 'tollgate.channel.id': channel }),
    ...(context.isStream &&
      firstTokenMs > 0 && { 'gen_ai.response.time_to_first_chunk': firstTokenMs / MS }),
    ...(errorType !== undefined && { 'error.type': errorType }),
    ...(basis !== null && {
      'gen_ai.usage.input_tokens': basis.prompt_tokens,
      'gen_ai.usage.output_tokens': basis.completion_tokens,
      'gen_ai.usage.cache_read.input_tokens': basis.cached_tokens,
      'gen_ai.usage.cache_write.input_tokens': basis.cache_write_tokens,
      'gen_ai.usage.reasoning.output_tokens': basis.reasoning_tokens,
      'tollgate.charge.quota': record.cost,
    }),
  }
}

export function attemptAttributes(
  record: AttemptRecord,
  { channelType, baseUrl }: TracedAttempt,
  { operation, index }: { operation: string; index: number },
): Attributes {
  const { model = '', status, channel, hedged = false, rescued = false } = record
  const errorType = attemptErrorOf(record)
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': providerName(channelType),
    'gen_ai.request.model': model,
    'gen_ai.usage.input_tokens': record.prompt_tokens ?? 0,
    'gen_ai.usage.output_tokens': record.completion_tokens ?? 0,
    'tollgate.channel.id': channel,
    ...serverOf(baseUrl),
    ...(index > 0 && { 'http.request.resend_count': index }),
    ...(status > 0 && { 'http.response.status_code': status }),
    ...(hedged && { 'tollgate.attempt.hedged': true }),
    ...(rescued && { 'tollgate.attempt.failover': true }),
    ...(errorType !== undefined && { 'error.type': errorType }),
  }
}

function serverOf(baseUrl: string): Attributes {
  const url = URL.parse(baseUrl)
  if (url === null) return {}
  const port = Number(url.port) || (url.protocol === 'http:' ? 80 : 443)
  return { 'server.address': url.hostname, 'server.port': port }
}
