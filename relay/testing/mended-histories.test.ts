import { expect, test } from 'vitest'
import {
  isRecord,
  type JsonRecord,
  listOf,
  member,
  omit,
  parseJson,
} from '../src/bytes/json-value.ts'
import { isRequestProblem } from '../src/errors/request-problem.ts'
import { encodeChat } from './client-request.ts'
import { asking, sampleHistories, type History, type Wire } from './histories.ts'
import { CLIENTS, providerAt, TARGETS } from './vendors/sent-requests.ts'

type OwnWire = Exclude<Wire, 'chat'>

/** What each wire has that the typed form has not. */
const HINTS: Readonly<Record<OwnWire, JsonRecord>> = {
  messages: { top_k: 3, service_tier: 'auto', metadata: { user_id: 'u' }, x_new: { a: 1.5 } },
  gemini: { safetySettings: [], labels: { a: 'b' }, x_new: { a: 1.5 } },
  responses: { store: false, truncation: 'auto', metadata: { a: 'b' }, x_new: { a: 1.5 } },
}
const LISTS = { messages: 'messages', gemini: 'contents', responses: 'input' } as const
const BLOCKS = { messages: 'content', gemini: 'parts', responses: '' } as const

/** Calls, their results, reasoning, and texts and media that are empty. */
const MAY_CHANGE =
  /"(?:type":"(?:tool_use|tool_result|thinking|redacted_thinking|reasoning|function_call|custom_tool_call)|function(?:Call|Response)"|thoughtSignature|thought"|fileData":\{\}|text":"")/

const send = (wire: OwnWire, body: JsonRecord): JsonRecord => {
  const client = CLIENTS[wire] ?? expect.fail(wire)
  const target = TARGETS.find(
    (one) =>
      client.wires.includes(providerAt(one).descriptor.dialect) && /claude|gem|gpt/.test(one.model),
  )
  if (target === undefined) expect.fail(`no vendor of ${wire}`)
  const sent = encodeChat(client.dialect(), providerAt(target), { model: target.model, body })
  if (isRequestProblem(sent)) expect.fail(sent.message)
  const json = parseJson(sent.body.toString())
  return isRecord(json) ? json : expect.fail('no object')
}

/** A text alone may stand in place of blocks. */
const blocksIn = (content: unknown) =>
  typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : content

const fixedParts = (wire: OwnWire, body: JsonRecord): string[] =>
  listOf(body[LISTS[wire]])
    .flatMap((item) => {
      const content = blocksIn(member(item, BLOCKS[wire]))
      return Array.isArray(content)
        ? content.map((block: unknown) => [member(item, 'role'), block])
        : [item]
    })
    // Without the reasoning before it, the id of an item is refused too.
    .map((part) => JSON.stringify(part).replace(/,"id":"\w+"/, ''))
    .filter((part) => !MAY_CHANGE.test(part))

/** For caches, and in a member that this gateway does not know. */
const hinted = (history: History): History => {
  const text = JSON.stringify(history)
  const hint = '"cache_control":{"type":"ephemeral","ttl":"1h"},"x_hint":[1]'
  const json = parseJson(text.replaceAll('"text":"Look."', `"text":"Look.",${hint}`))
  return listOf(json).filter(isRecord)
}

test.each(['messages', 'gemini', 'responses'] as const)(
  '%s: only what is refused of a history changes, and no second time',
  (wire) => {
    let mended = 0
    for (const history of sampleHistories(wire)) {
      const given = { ...asking(wire, hinted(history)), ...HINTS[wire] }
      const sent = send(wire, given)
      const list = LISTS[wire]
      expect(omit(sent, list, 'model', 'include')).toEqual(omit(given, list, 'model'))
      const parts = fixedParts(wire, sent)
      let from = 0
      for (const part of fixedParts(wire, given)) {
        const found = parts.indexOf(part, from)
        if (found === -1) expect.fail(`${part} of ${JSON.stringify(history)}`)
        from = found + 1
      }
      expect(send(wire, sent)).toEqual(sent)
      if (JSON.stringify(sent[list]) !== JSON.stringify(given[list])) mended += 1
    }
    expect(mended).toBeGreaterThan(100)
  },
)
