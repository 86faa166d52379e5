import type { IncomingMessage } from 'node:http'
import {
  anthropicDialect,
  type ClientDialect,
  createResponsesDialect,
  openaiDialect,
  RELAY_PATHS,
  type RelayEndpoint,
} from '@tollgate/relay'

/** Whether a URL belongs to the data plane: everything under /v1, and the billing queries. */
export const isRelayPath = (url: string) => /^\/(?:v1(?:[/?]|$)|dashboard\/billing\/)/.test(url)

const isRelayEndpoint = (name: string): name is RelayEndpoint => Object.hasOwn(RELAY_PATHS, name)

const RELAYED: ReadonlyMap<string, RelayEndpoint> = new Map(
  Object.keys(RELAY_PATHS)
    .filter(isRelayEndpoint)
    .map((endpoint) => [RELAY_PATHS[endpoint], endpoint]),
)

const MESSAGES_PATH = '/v1/messages'
export const COUNT_TOKENS_PATH = `${MESSAGES_PATH}/count_tokens`

const RESPONSES_PATH = '/v1/responses'
export const INPUT_TOKENS_PATH = `${RESPONSES_PATH}/input_tokens`
/** Everything that is done with a response which OpenAI has stored. */
export const isStoredResponse = (path: string) =>
  path === RESPONSES_PATH || path.startsWith(`${RESPONSES_PATH}/`)

/** For one request; also of an error before anything has been read. */
export function dialectOf(path: string): ClientDialect {
  if (path.startsWith(MESSAGES_PATH)) return anthropicDialect
  return path === RESPONSES_PATH ? createResponsesDialect() : openaiDialect
}

/** Endpoints of the dialect that are known and not offered. */
export const NOT_OFFERED =
  /^\/v1\/(?:edits$|moderations$|images\/|audio\/|engines\/[^/]+\/embeddings$|files(?:\/|$)|fine[_-]tun|assistants(?:\/|$)|threads(?:\/|$))/

/** What is asked for by POST at this path. */
export const endpointAt = (path: string): RelayEndpoint | undefined =>
  path === MESSAGES_PATH || path === RESPONSES_PATH ? 'chat' : RELAYED.get(path)

/** Without the slashes it ends in; a pattern for them takes quadratic time on slashes elsewhere. */
export function pathOf({ url = '/' }: IncomingMessage): string {
  const [path = '/'] = url.split('?')
  let end = path.length
  while (end > 1 && path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}
