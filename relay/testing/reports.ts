import { expect } from 'vitest'
import { type JsonRecord, parseJson } from '../src/bytes/json-value.ts'
import { isRequestProblem } from '../src/errors/request-problem.ts'
import { encodeChat } from './client-request.ts'
import type { Wire } from './histories.ts'
import { CLIENTS, providerAt, requestTo, TARGETS } from './vendors/sent-requests.ts'
import { brokenRules } from './vendors/strict-vendor.ts'

/*
 * Histories of public reports about agents and gateways, each sent to the vendor that refused it in
 * the report. `says` is what the vendor must still get of it.
 */

export type Report = {
  readonly report: string
  readonly wire: Wire
  /** The vendors' models that get it; all if absent. */
  readonly model?: RegExp
  /** The vendor speaks another wire than the client. */
  readonly isTranslated?: boolean
  readonly body: JsonRecord
  /** The question alone, if absent. */
  readonly says?: readonly string[]
  readonly lacks?: readonly string[]
}

/** Reports that share the wire of the client, and perhaps the models. */
export const reportsOf = (
  shared: Pick<Report, 'wire' | 'model' | 'isTranslated'>,
  reports: readonly Omit<Report, 'wire'>[],
): Report[] => reports.map((report) => ({ ...shared, ...report }))

/** The same reports to vendors of the client's wire, and to those of other wires. */
export const toEveryWire = (reports: readonly Report[]): Report[] =>
  reports.flatMap((report) => [false, true].map((isTranslated) => ({ ...report, isTranslated })))

export const text = (words: string) => ({ type: 'text', text: words })
export const user = (...content: unknown[]) => ({ role: 'user', content })
export const assistant = (...content: unknown[]) => ({ role: 'assistant', content })
export const said = (words: string) => ({ role: 'assistant', content: words })
export const system = (words: string) => ({ role: 'system', content: words })
export const thinking = (signature: string) => ({ type: 'thinking', thinking: 'Hm.', signature })
export const use = (id: string) => ({ type: 'tool_use', id, name: 'read', input: { path: id } })
export const result = (id: string, content: unknown = 'It is empty.') => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
})
export const HI = user(text('Read the files.'))
const TOOL = { name: 'read', input_schema: { type: 'object', properties: {} } }
const MORE = { model: 'm', max_tokens: 2000, tools: [TOOL] }
export const messages = (...list: unknown[]) => ({ ...MORE, messages: list })

export const parts = (role: string, ...list: unknown[]) => ({ role, parts: list })
export const call = (name: string) => ({ functionCall: { name, args: {} } })
export const response = (name: string) => ({
  functionResponse: { name, response: { output: 'empty' } },
})
export const HI_GEMINI = parts('user', { text: 'Read the files.' })
export const contents = (...list: unknown[]) => ({ contents: list })

export const callItem = (id: string) => ({
  type: 'function_call',
  call_id: id,
  name: 'read',
  arguments: '{}',
})
export const output = (id: string) => ({
  type: 'function_call_output',
  call_id: id,
  output: 'empty',
})
export const PNG = 'iVBORw0KGgo='
export const IMAGE = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: PNG },
}
export const DATA_URL = `data:image/png;base64,${PNG}`
export const PICTURE = { type: 'image_url', image_url: { url: DATA_URL } }
export const MARK = { cache_control: { type: 'ephemeral' } }
export const marked = (words: string) => ({ ...text(words), ...MARK })

export const chatCall = (id: string, name = 'read') => ({
  id,
  type: 'function',
  function: { name, arguments: '{}' },
})
export const calling = (...calls: object[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: calls,
})
export const told = (id: string, content: unknown = 'It is empty.') => ({
  role: 'tool',
  tool_call_id: id,
  content,
})
export const HI_CHAT = { role: 'user', content: 'Read the files.', name: 'ann' }
export const chat = (...list: unknown[]) => ({ model: 'm', messages: list })

/** A chat that declares its tool. */
export const toolChat = (...list: unknown[]) => ({
  ...chat(...list),
  tools: [{ type: 'function', function: { name: 'read' } }],
})

export const HI_ITEM = { role: 'user', content: 'Read the files.' }
export const input = (...list: unknown[]) => ({ model: 'm', store: false, input: list })

export function expectAccepted({
  wire,
  model = /./,
  body,
  says = [HI_ITEM.content],
  isTranslated = false,
  lacks = [],
}: Report) {
  const client = CLIENTS[wire] ?? expect.fail(wire)
  const targets = TARGETS.filter(
    (target) =>
      model.test(target.model) &&
      client.wires.includes(providerAt(target).descriptor.dialect) !== isTranslated,
  )
  expect(targets).not.toEqual([])
  for (const target of targets) {
    const provider = providerAt(target)
    const sent = encodeChat(client.dialect(), provider, { model: target.model, body })
    if (isRequestProblem(sent)) expect.fail(sent.message)
    const json = sent.body.toString()
    const request = requestTo(target.vendor, { ...sent, body: parseJson(json) })
    expect(request && brokenRules(target.vendor, request)).toEqual([])
    for (const words of says) expect(json).toContain(words)
    for (const words of lacks) expect(json).not.toContain(words)
  }
}
