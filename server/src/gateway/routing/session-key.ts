import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isRecord, type JsonRecord, parseJson, type RelayRequest } from '@tollgate/relay'

/*
 * Which conversation a request belongs to. Providers keep a prompt's prefix in the cache of one
 * account, so the turns of a conversation should reach the same channel and key.
 *
 * The member `user` names a customer, not a conversation, and is read only for Claude Code's id.
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
const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d]
/** Bytes of a message without its long texts; a longer message has a picture. */
const ELEMENT_BYTES_MAX = 65_536
/** Long texts of an opener that its digest reads. */
const LONG_TEXTS_MAX = 4
/** Bytes of a long text that the digest reads at its start. */
const HEAD_BYTES = 4096
/** The same at `PIECES` further places and at its end. */
const PIECE_BYTES = 1024
const PIECES = 4

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
  const session = named === null ? openerOf(request) : [`id ${named}`]
  if (session === null) return null
  const hash = createHash('sha256').update(`${token}\n${request.model}\n`)
  for (const piece of session) hash.update(piece)
  return hash.digest('base64url')
}

function headerId(headers: IncomingHttpHeaders): string | null {
  for (const name of HEADERS) {
    const id = idOf(headers[name])
    if (id !== null) return id
  }
  return null
}

function memberId({ session_id, prompt_cache_key, metadata, user }: JsonRecord): string | null {
  const id = idOf(session_id) ?? idOf(prompt_cache_key)
  if (id !== null) return id
  const given = isRecord(metadata) ? metadata : {}
  return (
    idOf(given['session_id']) ?? idOf(given['sessionId']) ?? claudeSession(given['user_id'] ?? user)
  )
}

/** Older versions of Claude Code name the session in the user's id. */
function claudeSession(userId: unknown): string | null {
  const text = typeof userId === 'string' ? userId : ''
  return CLAUDE_USER.exec(text)?.[1] ?? null
}

const CLAUDE_USER =
  /(?:^user_[0-9a-f]*_account_[0-9a-f-]*_session_|"session_id": ?")([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:$|")/

const idOf = (given: unknown): string | null =>
  typeof given === 'string' && given !== '' && given.length <= ID_LENGTH_MAX ? given : null

/**
 * The system prompt and the first message of the user, which stay as a conversation grows. Null for
 * a prompt that is too short for any cache.
 */
function openerOf(request: SessionRequest): Piece[] | null {
  const { members, promptTokensUpperBound } = request
  if (promptTokensUpperBound < OPENER_BYTES_MIN) return null
  const texts: string[] = []
  const long: Span[] = []
  const note = (value: Skeleton) => {
    texts.push(...textsOf(value.json))
    long.push(...value.long)
  }
  for (const { name, valueStart, end } of members.list) {
    if (SYSTEM_MEMBERS.has(name)) note(skeletonOf(request, { start: valueStart, end }))
  }
  for (const { name, valueStart, end } of members.list) {
    if (!TURNS_MEMBERS.has(name)) continue
    for (const message of firstElements(request, { start: valueStart, end })) {
      note(message)
      if (!isOfSystem(message.json)) break
    }
  }
  if (texts.length === 0) return null
  const pieces = long.slice(0, LONG_TEXTS_MAX).flatMap((span) => piecesOf(request.body, span))
  return [`opener ${JSON.stringify(texts)}`, ...pieces]
}

type Piece = string | Buffer
type Span = SessionRequest['members']['longTexts'][number]
/** A value whose long texts are empty. */
type Skeleton = { readonly json: unknown; readonly long: readonly Span[] }

const SYSTEM_MEMBERS: ReadonlySet<string> = new Set([
  'system',
  'instructions',
  'systemInstruction',
  'system_instruction',
])
const TURNS_MEMBERS: ReadonlySet<string> = new Set(['messages', 'input', 'contents'])

const isOfSystem = (message: unknown) =>
  isRecord(message) && (message['role'] === 'system' || message['role'] === 'developer')

/** Texts of a message, or of a system prompt in any form. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsOf)
  return isRecord(value) ? textsOf(value['text'] ?? value['content'] ?? value['parts']) : []
}

function skeletonOf({ body, members }: SessionRequest, { start, end }: Span): Skeleton {
  const long = members.longTexts.filter((span) => span.start >= start && span.end <= end)
  let text = ''
  let at = start
  for (const span of long) {
    text += `${body.toString('utf8', at, span.start)}""`
    at = span.end
  }
  return { json: parseJson(text + body.toString('utf8', at, end)), long }
}

/** The elements of a list, without a look at those that are not asked for. */
function* firstElements(request: SessionRequest, list: Span): Generator<Skeleton, void> {
  const { body, members } = request
  if (body[list.start] === QUOTE) {
    yield skeletonOf(request, list)
    return
  }
  let long = members.longTexts.findIndex(({ start }) => start >= list.start)
  let depth = 0
  let start = list.start
  let isInText = false
  let at = list.start
  for (let walked = 0; at < list.end; walked += 1) {
    // Rather a data URL than a message: its beginning stays as it is.
    if (walked > ELEMENT_BYTES_MAX) {
      yield { json: body.toString('latin1', start, start + HEAD_BYTES), long: [] }
      return
    }
    const span = members.longTexts[long]
    if (!isInText && span?.start === at) {
      at = span.end
      long += 1
      continue
    }
    const byte = body[at]
    if (isInText && byte === BACKSLASH) at += 1
    else if (byte === QUOTE) isInText = !isInText
    else if (!isInText && (byte === OPEN_BRACE || byte === OPEN_BRACKET)) {
      depth += 1
      if (depth === 2) start = at
    } else if (!isInText && (byte === CLOSE_BRACE || byte === CLOSE_BRACKET)) {
      depth -= 1
      if (depth === 1) {
        yield skeletonOf(request, { start, end: at + 1 })
        walked = 0
      }
    }
    at += 1
  }
}

/** Its length and pieces from all over it, so that sessions with the same beginning differ. */
function piecesOf(body: Buffer, { start, end }: Span): (string | Buffer)[] {
  const length = end - start
  const places = Array.from({ length: PIECES }, (_, index) => {
    const at = start + Math.floor((length * (index + 1)) / (PIECES + 1))
    return body.subarray(at, Math.min(end, at + PIECE_BYTES))
  })
  return [
    `\n${length} `,
    body.subarray(start, Math.min(end, start + HEAD_BYTES)),
    ...places,
    body.subarray(Math.max(start, end - PIECE_BYTES), end),
  ]
}
