import { describe, expect, test } from 'vitest'
import {
  answerNative,
  askNative,
  channelTo,
  CLAUDE,
  GEMINI,
  type NativeProvider,
  RESPONSES,
} from '../../../../testing/worlds/native-scenario.ts'
import { COST, MODEL, setUp } from '../../../../testing/worlds/relay-scenario.ts'

const ABORTED = 'The tool call was aborted.'

type Session = {
  readonly provider: NativeProvider
  /** A session whose call was interrupted before its result, or that ended well. */
  readonly body: (isInterrupted: boolean) => object
  readonly mended: object
}

const TOOL = { name: 'read', input_schema: { type: 'object', properties: {} } }
const PARAMETERS = { type: 'object', properties: { path: { type: 'string' } } }

const claudeResult = (content: string) => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }],
})
const geminiResult = (response: object) => ({
  role: 'user',
  parts: [{ functionResponse: { name: 'read', response } }],
})

const SESSIONS: readonly Session[] = [
  {
    provider: CLAUDE,
    body: (isInterrupted) => ({
      model: MODEL,
      max_tokens: 50,
      tools: [TOOL],
      messages: [
        { role: 'user', content: 'Read it.' },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }],
        },
        ...(isInterrupted ? [] : [claudeResult('It is empty.')]),
        { role: 'user', content: 'Go on.' },
      ],
    }),
    mended: {
      messages: [
        { role: 'user' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1' }] },
        {
          role: 'user',
          content: [...claudeResult(ABORTED).content, { type: 'text', text: 'Go on.' }],
        },
      ],
    },
  },
  {
    provider: GEMINI,
    body: (isInterrupted) => ({
      tools: [{ functionDeclarations: [{ name: 'read', parameters: PARAMETERS }] }],
      generationConfig: { maxOutputTokens: 50 },
      contents: [
        { role: 'user', parts: [{ text: 'Read it.' }] },
        { role: 'model', parts: [{ functionCall: { name: 'read', args: {} } }] },
        ...(isInterrupted ? [] : [geminiResult({ output: 'It is empty.' })]),
        { role: 'user', parts: [{ text: 'Go on.' }] },
      ],
    }),
    mended: {
      contents: [
        { role: 'user' },
        { role: 'model', parts: [{ functionCall: { name: 'read' } }] },
        { role: 'user', parts: [...geminiResult({ result: ABORTED }).parts, { text: 'Go on.' }] },
      ],
    },
  },
  {
    provider: RESPONSES,
    body: (isInterrupted) => ({
      model: MODEL,
      store: false,
      max_output_tokens: 50,
      tools: [{ type: 'function', name: 'read', parameters: PARAMETERS, strict: false }],
      input: [
        { role: 'user', content: 'Read it.' },
        { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{}' },
        ...(isInterrupted
          ? []
          : [{ type: 'function_call_output', call_id: 'call_1', output: 'It is empty.' }]),
        { role: 'user', content: 'Go on.' },
      ],
    }),
    mended: {
      input: [
        { role: 'user' },
        { type: 'function_call', call_id: 'call_1' },
        { type: 'function_call_output', call_id: 'call_1', output: ABORTED },
        { role: 'user' },
      ],
    },
  },
]

describe.each(SESSIONS)('a session of $provider.name', ({ provider, body, mended }) => {
  test('goes on after an interrupted call, at its price', async () => {
    const answers = answerNative(provider)
    const world = await setUp([channelTo(provider, answers, answers)])
    const ask = (stream: boolean) => {
      const text = JSON.stringify({ ...body(true), ...streamMember(provider, stream) })
      return askNative(world, provider, { stream, text })
    }
    const whole = await ask(false)
    expect([whole.status, whole.headers.get('x-tollgate-adapted')]).toEqual([200, 'messages'])
    expect(await whole.text()).toContain('Hello there')
    expect(provider.textOf(await (await ask(true)).text())).toBe('Hello there')
    for (const { body: sent } of world.upstream.requestsOf('p0')) {
      expect(JSON.parse(sent.toString())).toMatchObject(mended)
    }
    const { logs } = await world.books()
    expect(logs.map(({ quota }) => quota)).toEqual([COST, COST])
  })

  test('keeps its bytes while nothing is missing', async () => {
    const world = await setUp([channelTo(provider, answerNative(provider))])
    const text = JSON.stringify(body(false))
    const answer = await askNative(world, provider, { text })
    expect([answer.status, answer.headers.get('x-tollgate-adapted')]).toEqual([200, null])
    const [request] = world.upstream.requestsOf('p0')
    expect(request?.body.toString()).toBe(text.replace(`"${MODEL}"`, `"${provider.mapping}"`))
    await world.books()
  })
})

const streamMember = ({ name }: NativeProvider, stream: boolean) =>
  name === 'Gemini' ? {} : { stream }
