import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isRecord, type JsonRecord, type RelayRequest } from '@tollgate/relay'

/*
 * Which conversation a request belongs to. Providers keep a prompt's prefix in the cache of one
 * account, so the turns of a conversation should reach the same channel and key.
 *
 * The member `user` names a customer, not a conversation, and is not read.
 */

/** Headers of agents and gateways with the id of a session, the most specific first. */
const HEADERS = [
  // Claude Code; its sub-agents share the id.
  'x-claude-code-session-id',
  // Codex: today's name and the former one.
  'session-id',
  'session_id',
  // opencode, Kilo, Pi.
  'x-session-affinity',
  'x-session-id',
  'x-opencode-session',
  'x-goose-session-id',
  'goose-session-id',
  'x-openwebui-chat-id',
  'x-grok-conv-id',
  'x-bf-session-id',
  'x-litellm-session-id',
  'x-litellm-trace-id',
] as const

/** Longer ids are no ids. */
const ID_LENGTH_MAX = 256
/** Providers cache prompts of at least 1024 tokens, which have some 4 bytes each. */
const OPENER_BYTES_MIN = 4096
/** Characters of each text that the digest of an opener reads. */
const TEXT_LENGTH_MAX = 4096
const LONG_TEXT_BYTES_MAX = 16_384

export type SessionRequest = Pick<
  RelayRequest,
  'model' | 'outline' | 'body' | 'members' | 'promptTokensUpperBound'
>

/**
 * A key of the conversation, bound to the caller's API key and the model; null if the request
 * belongs to none that a cache can serve.
 */
export function sessionKeyOf(
  token: number,
  headers: IncomingHttpHeaders,
  request: SessionRequest,
): string | null {
  const named = headerId(headers) ?? memberId(request.outline)
  const session = named === null ? openerOf(request) : `id ${named}`
  if (session === null) return null
  return createHash('sha256')
    .update(`${token}\n${request.model}\n`)
    .update(session)
    .digest('base64url')
}

function headerId(headers: IncomingHttpHeaders): string | null {
  for (const name of HEADERS) {
    const id = idOf(headers[name])
    if (id !== null) return id
  }
  return null
}

function memberId({ session_id, prompt_cache_key, metadata }: JsonRecord): string | null {
  const id = idOf(session_id) ?? idOf(prompt_cache_key)
  if (id !== null || !isRecord(metadata)) return id
  return idOf(metadata['session_id']) ?? idOf(metadata['sessionId'])
}

const idOf = (given: unknown): string | null =>
  typeof given === 'string' && given !== '' && given.length <= ID_LENGTH_MAX ? given : null

/**
 * The system prompt and the first message of the user, which stay as a conversation grows. Null for
 * a prompt that is too short for any cache.
 */
function openerOf(request: SessionRequest): string | null {
  const { outline, promptTokensUpperBound } = request
  const { messages } = outline
  if (promptTokensUpperBound < OPENER_BYTES_MIN || !Array.isArray(messages)) return null
  const texts: string[] = []
  for (const message of messages) {
    if (!isRecord(message)) return null
    texts.push(...textsOf(message['content']))
    if (message['role'] !== 'system' && message['role'] !== 'developer') break
  }
  if (texts.length === 0) return null
  // The outline leaves long texts empty.
  const longText = texts.includes('') ? firstLongText(request) : ''
  return `opener ${JSON.stringify(texts)}${longText}`
}

function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content.slice(0, TEXT_LENGTH_MAX)]
  if (!Array.isArray(content)) return []
  return content.flatMap((part: unknown) => {
    const text = isRecord(part) ? part['text'] : null
    return typeof text === 'string' ? [text.slice(0, TEXT_LENGTH_MAX)] : []
  })
}

function firstLongText({ body, members }: SessionRequest): string {
  const [first] = members.longTexts
  if (first === undefined) return ''
  return body.toString(
    'latin1',
    first.start,
    Math.min(first.end, first.start + LONG_TEXT_BYTES_MAX),
  )
}
