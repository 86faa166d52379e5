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
import { asking, LISTS, sampleHistories, type History, type Wire } from './histories.ts'
import { anthropic } from './vendors/anthropic.rules.ts'
import { openaiResponses } from './vendors/openai-responses.rules.ts'
import { CLIENTS, providerAt, requestTo, type Target, TARGETS } from './vendors/sent-requests.ts'
import { brokenRules } from './vendors/strict-vendor.ts'

/** What each wire has that the typed form has not. */
const HINTS: Readonly<Record<Wire, JsonRecord>> = {
  chat: { seed: 3, x_new: { a: 1.5 } },
  messages: { top_k: 3, service_tier: 'auto', metadata: { user_id: 'u' }, x_new: { a: 1.5 } },
  gemini: { safetySettings: [], labels: { a: 'b' }, x_new: { a: 1.5 } },
  responses: { store: false, truncation: 'auto', metadata: { a: 'b' }, x_new: { a: 1.5 } },
}
const BLOCKS = { chat: 'content', messages: 'content', gemini: 'parts', responses: '' } as const

const targetOf = (model: string, type: number) =>
  TARGETS.find((one) => one.model === model && one.type === type) ?? expect.fail(model)

type OwnTarget = {
  readonly wire: Wire
  readonly target: Target
  /** Rules for the hints of this test, and rules of the wire's maker that others do not have. */
  readonly except: RegExp
}

/** The makers of the wires, and other vendors that speak them. */
const OWN_TARGETS: readonly OwnTarget[] = [
  { wire: 'chat', target: targetOf('gpt-4.1', 1), except: /^OAI-001$/ },
  { wire: 'chat', target: targetOf('kimi-k2.6', 25), except: /^$/ },
  { wire: 'messages', target: targetOf('claude-sonnet-4-5', 14), except: /^ANT-004$/ },
  {
    wire: 'messages',
    target: { vendor: anthropic, type: 14, model: 'kimi-k2.6' },
    except: /^ANT-(?:004|030|033|036|060)$/,
  },
  { wire: 'gemini', target: targetOf('gemini-2.5-flash', 24), except: /^GEM-(?:001|108)$/ },
  { wire: 'responses', target: targetOf('gpt-4.1', 1002), except: /^RSP-100$/ },
  {
    wire: 'responses',
    target: { vendor: openaiResponses, type: 1002, model: 'grok-4', baseUrl: 'https://api.x.ai' },
    except: /^RSP-(?:006|100)$/,
  },
]

/** Calls, their results, reasoning, and texts and media that are empty or refused. */
const MAY_CHANGE = new RegExp(
  [
    '"type":"(?:tool_use|tool_result|(?:redacted_)?thinking|reasoning|(?:function|custom_tool)_call)',
    '"(?:functionCall|functionResponse|thoughtSignature|thought|tool_calls|function_call|refusal)"',
    '"(?:fileData":\\{\\}|text":""|format":"opus|video_url"|url":"data:image\\/svg)',
    '^(?:\\[|\\{"role":)"(?:tool|function)"',
    '^\\{"role":"assistant","content":(?:""|null)\\}',
  ].join('|'),
)

const send = ({ wire, target }: OwnTarget, body: JsonRecord) => {
  const client = CLIENTS[wire] ?? expect.fail(wire)
  const sent = encodeChat(client.dialect(), providerAt(target), { model: target.model, body })
  if (isRequestProblem(sent)) expect.fail(sent.message)
  const json = parseJson(sent.body.toString())
  const request = requestTo(target.vendor, { ...sent, body: json }) ?? expect.fail(sent.url)
  return { json: isRecord(json) ? json : expect.fail('no object'), request }
}

/** A text alone may stand in place of blocks. */
const blocksIn = (content: unknown) =>
  typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : content

const fixedParts = (wire: Wire, body: JsonRecord): string[] =>
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

/** Numbers of the questions that say something, and of Responses' items. */
const turnsIn = (wire: Wire, body: JsonRecord) =>
  listOf(body[LISTS[wire]])
    .filter((item) =>
      listOf(member(item, BLOCKS[wire] || 'content')).some(
        (one) => member(one, 'text') === 'Look.',
      ),
    )
    .flatMap((item) => member(item, 'x_turn') ?? [])

/** For caches, and in members that this gateway does not know. */
function hinted(wire: Wire, history: History): History {
  const mark = wire === 'chat' ? '' : ',"cache_control":{"type":"ephemeral","ttl":"1h"}'
  const text = JSON.stringify(history)
  const json = parseJson(text.replace('"text":"Look."', `"text":"Look."${mark},"x_hint":[1]`))
  return listOf(json)
    .filter(isRecord)
    .map((item, at) => (item['role'] === 'user' ? { ...item, x_turn: at } : item))
}

test.each(OWN_TARGETS)(
  '$wire to $target.model: only what is refused of a history changes, and no second time',
  (own) => {
    const { wire, target, except } = own
    const list = LISTS[wire]
    const histories = sampleHistories(wire)
    let mended = 0
    for (const history of histories) {
      const given = { ...asking(wire, hinted(wire, history)), ...HINTS[wire] }
      const { json: sent, request } = send(own, given)
      expect(omit(sent, list, 'model', 'include')).toEqual(omit(given, list, 'model'))
      const parts = fixedParts(wire, sent)
      let from = 0
      for (const part of fixedParts(wire, given)) {
        const found = parts.indexOf(part, from)
        if (found === -1) expect.fail(`${part} of ${JSON.stringify(history)}`)
        from = found + 1
      }
      expect(turnsIn(wire, sent)).toEqual(turnsIn(wire, given))
      expect(send(own, sent).json).toEqual(sent)
      if (JSON.stringify(sent[list]) !== JSON.stringify(given[list])) mended += 1
      if (JSON.stringify(history).includes('mystery')) continue
      const broken = brokenRules(target.vendor, request).filter(({ id }) => !except.test(id))
      if (broken.length > 0) expect.fail(`${JSON.stringify(broken)}\n${JSON.stringify(history)}`)
    }
    expect(mended).toBeGreaterThan(histories.length / 4)
  },
)
