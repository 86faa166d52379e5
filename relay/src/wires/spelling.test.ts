import { describe, expect, test } from 'vitest'
import { finish } from '../bytes/steps.ts'
import { isRequestProblem } from '../errors/request-problem.ts'
import { accepted } from '../errors/testing/accepted.ts'
import { readJsonTask } from '../tasks/json-task.ts'
import { readMessagesRequest } from './anthropic-messages/read-request.ts'
import { readRequest } from './openai-chat/read-head.ts'
import { READABLE_CIPHER } from './openai-responses/testing/readable-cipher.ts'

const SEARCH = 'web_search'
const hi = [{ role: 'user', content: 'hi' }]
const chat = { model: 'm', messages: hi }
const F = { name: 'f' }
const withPart = (member: object) => ({
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'x', ...member }] }],
})

const readText = (text: string) => readRequest('chat', Buffer.from(text))
const read = (body: object) => readText(JSON.stringify(body))
const refusedAt = (body: object) => {
  const found = read(body)
  return isRequestProblem(found) ? found : null
}

describe('a member in another spelling is refused where it decides the charge', () => {
  test.each([
    [{ ...chat, tools: [{ type: 'function', Type: SEARCH, function: F }] }, 'tools.0.Type'],
    [{ ...chat, tools: [{ TYPE: SEARCH }] }, 'tools.0.TYPE'],
    [{ ...chat, tools: { Type: SEARCH, function: F } }, 'tools.Type'],
    [{ ...chat, tools: [{ function: { ...F, Name: '$x' } }] }, 'tools.0.function.Name'],
    [{ ...chat, tools: [{ type: 'function', function: F, Function: {} }] }, 'tools.0.Function'],
    [{ ...chat, Modalities: ['text', 'audio'] }, 'Modalities'],
    [{ ...chat, modalities: ['text', 'audio'], Audio: {} }, 'Audio'],
    [{ ...chat, messages: [{ role: 'user', Content: 'hi' }] }, 'messages.0.Content'],
    [{ ...chat, messages: [{ role: 'user', content: 'x', CONTENT: [] }] }, 'messages.0.CONTENT'],
    [withPart({ Image_url: {} }), 'messages.0.content.0.Image_url'],
    [withPart({ '\u017fource': {} }), 'messages.0.content.0.\u017fource'],
  ])('%j', (body, param) => {
    const proper = param.split('.').at(-1)?.replace('\u017f', 's').toLowerCase()
    expect(refusedAt(body)).toMatchObject({
      param,
      message: `Unknown member '${param}': write '${proper}'.`,
    })
  })

  test("names of a parameter are the client's own", () => {
    const parameters = { type: 'object', properties: { Type: { type: 'string' }, Name: {} } }
    const tools = [{ type: 'function', function: { name: 'f', parameters } }]
    expect(refusedAt({ ...chat, tools })).toBeNull()
  })

  test('in a Messages request too', () => {
    const body = { model: 'm', max_tokens: 5, messages: hi, tools: [{ name: 'f', Type: SEARCH }] }
    const found = finish(
      readMessagesRequest(Buffer.from(JSON.stringify(body)), { cipher: READABLE_CIPHER }),
    )
    expect(found).toMatchObject({ param: 'tools.0.Type' })
  })
})

describe('extra_body', () => {
  test.each([
    [{ extra_body: { model: 'dear' } }, 'extra_body.model'],
    [{ extra_body: { N: 100 } }, 'extra_body.N'],
    [{ extra_body: { max_tokens: 100_000 } }, 'extra_body.max_tokens'],
    [{ extra_body: { modalities: ['text', 'audio'] } }, 'extra_body.modalities'],
    [{ extra_body: { audio: { voice: 'alloy' } } }, 'extra_body.audio'],
    [{ extra_body: { models: ['dear'] } }, 'extra_body.models'],
    [{ extra_body: { context_window_fallbacks: [] } }, 'extra_body.context_window_fallbacks'],
    [{ extraBody: { messages: [] } }, 'extraBody.messages'],
    [{ extra_body: { extra_body: { tools: [] } } }, 'extra_body.extra_body.tools'],
  ])('contains nothing that decides the charge: %j', (members, param) => {
    expect(refusedAt({ ...chat, ...members })).toMatchObject({ param })
  })

  test('passes on members that Google reads there', () => {
    const google = { thinking_config: { include_thoughts: true } }
    expect(refusedAt({ ...chat, extra_body: { google } })).toBeNull()
  })

  test('for images neither', () => {
    const body = Buffer.from(JSON.stringify({ model: 'm', prompt: 'x', extra_body: { n: 10 } }))
    const terms = () => {
      throw new Error('it was read')
    }
    const how = { metered: ['n'], check: () => null, terms }
    const found = finish(readJsonTask({ endpoint: 'images', body }, how))
    expect(found).toMatchObject({ param: 'extra_body.n' })
  })
})

describe('a repeated member is passed on as it was read', () => {
  const withTool = (tool: string) =>
    readText(`{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[${tool}]}`)

  test('in a tool', () => {
    const tool = '{"type":"web_search","type":"function","function":{"name":"f"}}'
    const found = accepted(withTool(tool))
    expect(found.billed).toEqual([])
    expect(found.body.toString()).not.toContain(SEARCH)
    expect(found.body.toString()).toContain('{"type":"function","function":{"name":"f"}}')
  })

  test('in the other order the tool is charged', () => {
    const tool = '{"type":"function","\\u0074ype":"web_search","function":{"name":"f"}}'
    expect(withTool(tool)).toMatchObject({ billed: [{ member: 'tools.0' }] })
  })

  test('in a message, with a long text', () => {
    const long = 'x'.repeat(5000)
    const message = `{"role":"user","content":[{"type":"file"}],"content":"${long}"}`
    const { body } = accepted(readText(`{"model":"m","messages":[${message}]}`))
    const sent = { model: 'm', messages: [{ role: 'user', content: long }] }
    expect(body.toString()).toBe(JSON.stringify(sent))
  })

  test('nothing else is rewritten', () => {
    const text = '{ "model":"m" , "messages":[{"role":"user","content":"\\u4e2d\\n"}],"seed":1e2}'
    expect(readText(text)).toMatchObject({ body: Buffer.from(text) })
  })
})
