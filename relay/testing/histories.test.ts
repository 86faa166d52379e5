import { expect, test } from 'vitest'
import { type JsonRecord, member, parseJson } from '../src/bytes/json-value.ts'
import { descriptorOf } from '../src/catalogue.ts'
import { isRequestProblem } from '../src/errors/request-problem.ts'
import { encodeChat, encodeRead, type Provider, readChat } from './client-request.ts'
import { asking, type History, LISTS, sampleHistories, type Wire } from './histories.ts'
import { CLIENTS, providerAt, requestTo, type Target, TARGETS } from './vendors/sent-requests.ts'
import { brokenRules } from './vendors/strict-vendor.ts'

const WIRES = ['chat', 'messages', 'responses', 'gemini'] as const satisfies readonly Wire[]

/** Read once for all providers. */
const SAMPLES = new Map(
  WIRES.map((wire) => {
    const dialect = CLIENTS[wire]?.dialect() ?? expect.fail(wire)
    const samples = sampleHistories(wire).map((history) => ({
      history,
      request: readChat(dialect, asking(wire, history)),
    }))
    return [wire, samples]
  }),
)

/** Vendors without strict rules, whose codecs must not refuse. */
const OTHERS: readonly (Pick<Target, 'type' | 'model'> & { key: string; other?: string })[] = [
  { type: 11, model: 'palm-2', key: 'k' },
  { type: 15, model: 'ernie-4.0-8k', key: 'a|b' },
  { type: 17, model: 'qwen-plus', key: 'k' },
  { type: 18, model: 'generalv3.5', key: 'a|b|c', other: 'v3.5' },
  { type: 23, model: 'hunyuan-turbos', key: '1|b|c' },
]

const sendTo = (provider: Provider, model: string) => (request: ReturnType<typeof readChat>) =>
  encodeRead(provider, request, { model })

const strictPairs = WIRES.flatMap((wire) =>
  TARGETS.flatMap((target) => {
    const provider = providerAt(target)
    const name = `${wire} to ${target.vendor.name} ${target.model}`
    const isOwn = CLIENTS[wire]?.wires.includes(provider.descriptor.dialect) ?? true
    return [{ name, wire, target, isOwn, send: sendTo(provider, target.model) }]
  }),
)

/** On the vendor's own wire, no block is unknown: the vendor or this gateway has answered it. */
const isOwnHistory = (history: History) => !JSON.stringify(history).includes('mystery')
/** For clients of Gemini, signatures of other vendors are encrypted. */
const FOREIGN_SIGNATURE = 'GEM-108'

test.each(strictPairs)('$name: accepts every history', ({ wire, target, isOwn, send }) => {
  const isPassed = isOwn && wire !== 'chat'
  for (const { history, request: read } of SAMPLES.get(wire) ?? []) {
    if (isPassed && !isOwnHistory(history)) continue
    const sent = send(read)
    if (isRequestProblem(sent)) expect.fail(`${sent.message}\n${JSON.stringify(history)}`)
    const request = requestTo(target.vendor, { ...sent, body: parseJson(sent.body.toString()) })
    const found = request === null ? ['no chat'] : brokenRules(target.vendor, request)
    const broken = found.filter((rule) => !isPassed || member(rule, 'id') !== FOREIGN_SIGNATURE)
    if (broken.length > 0) expect.fail(`${JSON.stringify(broken)}\n${JSON.stringify(history)}`)
  }
})

const user = (part: JsonRecord) => ({ role: 'user', content: [part] })
const FILE = { type: 'file', file: { file_id: 'file-1' } }

test('a file in the question is refused, also in front of its text', () => {
  const { chat } = CLIENTS
  const claude = TARGETS.find(({ type }) => type === 14) ?? expect.fail('no Claude')
  const ask = (messages: readonly JsonRecord[]) =>
    encodeChat(chat?.dialect() ?? expect.fail('no chat'), providerAt(claude), {
      model: claude.model,
      body: { model: 'm', messages },
    })
  const [file, text] = [user(FILE), user({ type: 'text', text: 'What is in this file?' })]
  expect(ask([file, text])).toMatchObject({ param: 'messages.0.content.0.file' })
  expect(isRequestProblem(ask([file, { role: 'assistant', content: 'No.' }, text]))).toBe(false)
  expect(isRequestProblem(ask([file, { role: 'assistant', content: '' }, text]))).toBe(false)
})

const PREFILL = 'It is'
const IMAGE = { type: 'image', source: { type: 'file', file_id: 'file_1' } }

test.each<[Wire, JsonRecord, string]>([
  ['chat', FILE, 'messages.0.content.0.file'],
  ['messages', IMAGE, 'messages.0.content.0.source.type'],
  ['gemini', { fileData: {} }, 'contents.0.parts.0.fileData.fileUri'],
  ['responses', { type: 'input_image', file_id: 'file_1' }, 'input[0].content[0]'],
])('%s: a file in front of a prefill is the question, and refused', (wire, part, param) => {
  const [question, prefill] =
    wire === 'gemini'
      ? [
          { role: 'user', parts: [part] },
          { role: 'model', parts: [{ text: PREFILL }] },
        ]
      : [user(part), { role: 'assistant', content: PREFILL }]
  const dialect = CLIENTS[wire]?.dialect() ?? expect.fail(wire)
  const target = TARGETS.find(({ type }) => type === (wire === 'messages' ? 24 : 14))
  if (target === undefined) expect.fail('no target')
  const body = { ...asking(wire, []), [LISTS[wire]]: [question, prefill] }
  const sent = encodeChat(dialect, providerAt(target), { model: target.model, body })
  expect(sent).toMatchObject({ param })
})

test('an image in front of a prefill stays in the question of a model that reads text only', () => {
  const target =
    TARGETS.find(({ model }) => model === 'deepseek-v4-pro') ?? expect.fail('no DeepSeek')
  const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
  const messages = [user(image), { role: 'assistant', content: PREFILL }]
  const dialect = CLIENTS['chat']?.dialect() ?? expect.fail('no chat')
  const body = { model: 'm', messages }
  const sent = encodeChat(dialect, providerAt(target), { model: target.model, body })
  if (isRequestProblem(sent)) expect.fail(sent.message)
  expect(parseJson(sent.body.toString())).toMatchObject({ messages })
})

const otherPairs = WIRES.flatMap((wire) =>
  OTHERS.map(({ type, model, key, other = '' }) => {
    const descriptor = descriptorOf(type) ?? expect.fail(`no channel type ${type}`)
    const send = sendTo({ descriptor, channel: { baseUrl: '', key, other } }, model)
    return { name: `${wire} to ${descriptor.name.en}`, wire, send }
  }),
)

test.each(otherPairs)('$name: refuses no history', ({ wire, send }) => {
  for (const { history, request } of SAMPLES.get(wire) ?? []) {
    const sent = send(request)
    if (isRequestProblem(sent)) expect.fail(`${sent.message}\n${JSON.stringify(history)}`)
  }
})
