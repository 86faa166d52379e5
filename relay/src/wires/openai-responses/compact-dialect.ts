import { jsonIn, readJson } from '../../bytes/json-parse.ts'
import { isRecord, type JsonRecord, listOf, textOf } from '../../bytes/json-value.ts'
import { writeJson } from '../../bytes/json-write.ts'
import type { ClientDialect } from '../client-dialect.ts'
import { isCompactionItem } from './compaction.ts'

/*
 * POST /v1/responses/compact takes a conversation and returns a shorter one that replaces it: the
 * messages of the user and an item with the rest
 * (https://platform.openai.com/docs/api-reference/responses/compact). It is sent as a request for a
 * response that ends with `compaction_trigger`, so every channel can answer it.
 */

const TRIGGER = { type: 'compaction_trigger' }

/** `responses` is the dialect of one request; so is the result. */
export function compactDialect(responses: ClientDialect): ClientDialect {
  let input: readonly JsonRecord[] = []
  const shortened = (body: Buffer) => Buffer.from(JSON.stringify(compaction(jsonIn(body), input)))
  return {
    ...responses,
    counting: null,
    *readRequest(endpoint, body, headers, owner) {
      const given = yield* readJson(body)
      const items = isRecord(given) ? itemsOf(given) : null
      // The dialect of responses refuses what is no request.
      if (!isRecord(given) || items === null) {
        return yield* responses.readRequest(endpoint, body, headers, owner)
      }
      input = items
      const request = { ...given, input: [...items, TRIGGER], stream: false }
      const written = yield* writeJson(request, body.length)
      return yield* responses.readRequest(endpoint, written, headers, owner)
    },
    passed: (body) => shortened(responses.passed(body)),
    *answer(answer, charged) {
      return shortened(yield* responses.answer(answer, charged))
    },
  }
}

function itemsOf({ input, previous_response_id }: JsonRecord): readonly JsonRecord[] | null {
  // The conversation may be that of an earlier response.
  if (input === undefined && typeof previous_response_id === 'string') return []
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  return Array.isArray(input) && input.every(isRecord) ? input : null
}

/** Without an item that replaces the conversation, all of it stays. */
function compaction(response: unknown, input: readonly JsonRecord[]): JsonRecord {
  const { id, created_at, usage, output } = isRecord(response) ? response : {}
  const found = listOf(output).filter(isCompactionItem)
  const kept = found.length === 0 ? input : input.filter(isOfUser).map(asItem)
  return {
    id: textOf(id),
    object: 'response.compaction',
    created_at,
    output: [...kept, ...found],
    usage,
  }
}

const isOfUser = ({ type = 'message', role }: JsonRecord) => type === 'message' && role === 'user'

const asItem = (message: JsonRecord): JsonRecord => {
  const { content } = message
  const parts = typeof content === 'string' ? [{ type: 'input_text', text: content }] : content
  return { ...message, type: 'message', content: parts }
}
