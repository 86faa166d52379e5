import { describe, expect, test } from 'vitest'
import { isRequestProblem } from '../../errors/request-problem.ts'
import type { TextEndpoint } from '../../provider.ts'
import { azureOpenai } from '../../providers/azure-openai/descriptor.ts'
import { fastgpt } from '../../providers/fastgpt/descriptor.ts'
import { custom } from '../../providers/generic/descriptor.ts'
import { mistral } from '../../providers/mistral/descriptor.ts'
import { groq, openai, openrouter } from '../../providers/openai-compatible/descriptor.ts'
import { encodeRequest, requestForCodec } from './encode-request.ts'
import { readRequest } from './read-head.ts'
import { requestIn as read } from './testing/chat.ts'

const messages = [{ role: 'user', content: '你好' }]
const CHAT = { model: 'm', messages }

function problem(body: unknown, endpoint: TextEndpoint = 'chat') {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const result = readRequest(endpoint, bytes)
  if (!isRequestProblem(result)) throw new Error('The request was accepted.')
  return result
}

describe('readRequest', () => {
  test('reads everything that decides the price, and takes null for absent', () => {
    const nothing = {
      endpoint: 'chat',
      model: 'm',
      stream: false,
      includeUsage: false,
      outputLimit: null,
      choices: 1,
    }
    const absent = { stream: null, stream_options: null, n: null, max_tokens: null }
    expect(read(CHAT)).toMatchObject(nothing)
    expect(read({ ...CHAT, ...absent })).toMatchObject(nothing)
    const body = {
      ...CHAT,
      stream: true,
      stream_options: { include_usage: true },
      n: 3,
      max_tokens: 50,
      max_completion_tokens: null,
    }
    const priced = { stream: true, includeUsage: true, outputLimit: 50, choices: 3 }
    expect(read(body)).toMatchObject(priced)
  })

  test('uses the larger of two output limits, since vendors obey either', () => {
    expect(read({ ...CHAT, max_tokens: 900, max_completion_tokens: 5 }).outputLimit).toBe(900)
  })

  test('takes an output limit of 0 for none, as vendors with Go servers do', () => {
    const request = read({ model: 'gpt-4o', messages, max_tokens: 0 })
    expect(request.outputLimit).toBeNull()
    const target = { model: 'gpt-4o', descriptor: openai }
    expect(encodeRequest(request, target)).toBe(request.body)
    const limited = encodeRequest(request, { ...target, outputLimit: 256 }).toString()
    expect(JSON.parse(limited)).toMatchObject({ max_tokens: 256 })
  })

  test('never streams an embedding and expects no output tokens', () => {
    const body = { model: 'm', input: 'a', stream: true }
    expect(read(body, 'embeddings')).toMatchObject({ stream: false, outputLimit: 0, choices: 1 })
  })

  test.each([
    [{ prompt: 'a' }, 1],
    [{ prompt: 'a', n: 2 }, 2],
    [{ prompt: 'a', n: 2, best_of: 5 }, 5],
    [{ prompt: ['a', 'b', 'c'], n: 2 }, 6],
    [{ prompt: [1, 2, 3] }, 1],
    [{ prompt: [[1, 2], [3]] }, 2],
  ])('counts every answer of a completion: %j', (body, choices) => {
    expect(read({ model: 'm', ...body }, 'completions').choices).toBe(choices)
  })

  test.each([['a'], [['a', 'b']], [[1, 2]], [[[1], [2, 3]]]])('accepts the input %j', (input) => {
    expect(read({ model: 'm', input }, 'embeddings').model).toBe('m')
  })

  test.each<[string, TextEndpoint, object, string]>([
    ['no model', 'chat', { messages }, 'model'],
    ['an empty model', 'chat', { model: '', messages }, 'model'],
    ['a model that is no text', 'chat', { model: 5, messages }, 'model'],
    ['a model of any length', 'chat', { model: 'm'.repeat(257), messages }, 'model'],
    ['no messages', 'chat', { model: 'm' }, 'messages'],
    ['messages that are no list', 'chat', { model: 'm', messages: {} }, 'messages'],
    ['empty messages', 'chat', { model: 'm', messages: [] }, 'messages'],
    ['a message that is no object', 'chat', { model: 'm', messages: ['a'] }, 'messages[0]'],
    ['a message without role', 'chat', { model: 'm', messages: [...messages, {}] }, 'messages[1]'],
    ['a stream that is no boolean', 'chat', { ...CHAT, stream: 'true' }, 'stream'],
    ['stream options of another type', 'chat', { ...CHAT, stream_options: [] }, 'stream_options'],
    [
      'include_usage of another type',
      'chat',
      { ...CHAT, stream_options: { include_usage: 1 } },
      'stream_options.include_usage',
    ],
    ['n of 0', 'chat', { ...CHAT, n: 0 }, 'n'],
    ['n of 129', 'chat', { ...CHAT, n: 129 }, 'n'],
    ['half an n', 'chat', { ...CHAT, n: 1.5 }, 'n'],
    ['n as text', 'chat', { ...CHAT, n: '2' }, 'n'],
    ['a negative limit', 'chat', { ...CHAT, max_tokens: -1 }, 'max_tokens'],
    ['an endless limit', 'chat', { ...CHAT, max_tokens: 2 ** 30 }, 'max_tokens'],
    ['half a limit', 'chat', { ...CHAT, max_completion_tokens: 0.5 }, 'max_completion_tokens'],
    ['best_of of 129', 'completions', { model: 'm', prompt: 'a', best_of: 129 }, 'best_of'],
    ['no prompt', 'completions', { model: 'm' }, 'prompt'],
    ['a prompt of another type', 'completions', { model: 'm', prompt: 5 }, 'prompt'],
    ['a mixed prompt', 'completions', { model: 'm', prompt: ['a', 1] }, 'prompt'],
    ['an empty list of tokens', 'completions', { model: 'm', prompt: [[]] }, 'prompt'],
    ['too many prompts', 'completions', { model: 'm', prompt: Array(2049).fill('a') }, 'prompt'],
    ['no input', 'embeddings', { model: 'm' }, 'input'],
    ['an empty input', 'embeddings', { model: 'm', input: [] }, 'input'],
    ['an input of another type', 'embeddings', { model: 'm', input: { a: 1 } }, 'input'],
  ])('refuses %s and names the member', (_what, endpoint, body, param) => {
    const found = problem(body, endpoint)
    expect(found).toMatchObject({ type: 'invalid_request_error', param })
    expect(found.message).toContain(`'${param}'`)
  })

  test.each([
    ['nothing', ''],
    ['a list', '[]'],
    ['no JSON', '{"model":"m","messages":[{]}'],
    ['JSON that breaks off', '{"model":"m"'],
    ['values that are not JSON', '{"model":"m","messages":nope}'],
    ['a byte order mark', '\uFEFF{"model":"m","messages":[{"role":"user"}]}'],
    ['endless nesting', `{"model":"m","messages":${'['.repeat(100_000)}`],
    ['two models', '{"model":"cheap","messages":[{"role":"user"}],"model":"dear"}'],
    ['a second model in capitals', '{"model":"cheap","messages":[{"role":"user"}],"MODEL":"dear"}'],
    ['a hidden number of choices', '{"model":"m","messages":[{"role":"user"}],"N":100}'],
    ['a hidden limit', '{"model":"m","messages":[{"role":"user"}],"max_to\u212aens":1000000}'],
  ])('refuses %s', (_what, body) => {
    expect(problem(body).message).not.toBe('')
  })

  test('refuses bytes that are not UTF-8, which gateway and upstream could read differently', () => {
    const body = Buffer.from(JSON.stringify({ model: 'm?', messages }))
    body[body.indexOf('?')] = 0xff
    expect(problem(body).message).toContain('UTF-8')
  })

  test('no earlier request hides a member whose name is escaped', () => {
    const readMore = (more: string) => read(`${JSON.stringify(CHAT).slice(0, -1)},${more}}`)
    readMore(String.raw`"\\":1,"\u006dax_t":1`)
    const limited = readMore(String.raw`"\u006e":128,"\u006dax_tokens":9`)
    expect(limited).toMatchObject({ choices: 128, outputLimit: 9 })
  })

  test('bounds the prompt by its bytes, whatever the tokenizer', () => {
    const request = read(CHAT)
    expect(request.promptTokensUpperBound).toBe(request.body.length)
  })

  test('bounds images by the most expensive way of counting them, not by their bytes', () => {
    const url = `data:image/png;base64,${'A'.repeat(50_000)}`
    const withImage = (model: string, image_url: unknown) =>
      read({ model, messages: [{ role: 'user', content: [{ type: 'image_url', image_url }] }] })
    const inBody = withImage('gpt-4o', { url })
    expect(inBody.promptTokensUpperBound).toBe(inBody.body.length - url.length + 12_000)
    const linked = withImage('gpt-4o-mini', { url: 'https://x.example/a.png' })
    expect(linked.promptTokensUpperBound).toBe(linked.body.length + 48_169)
    const plain = withImage('pixtral', 'https://x.example/a.png')
    expect(plain.promptTokensUpperBound).toBe(plain.body.length + 12_000)
    const drawn = { role: 'assistant', content: null, images: [{ image_url: { url } }] }
    const shownAgain = read({ model: 'm', messages: [drawn] })
    expect(shownAgain.promptTokensUpperBound).toBe(shownAgain.body.length - url.length + 12_000)
  })

  test('bounds files by the input window and audio by its bytes', () => {
    const content = [
      { type: 'file', file: { file_id: 'f' } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'text', text: 'x' },
      null,
    ]
    const request = read({ model: 'm', messages: [{ role: 'user', content }] })
    expect(request.promptTokensUpperBound).toBe(request.body.length + 272_000)
    const file = { type: 'file', file: { file_id: 'f' } }
    const two = [{ role: 'user', content: [file, file] }]
    const gemini = read({ model: 'google/gemini-2.5-pro', messages: two })
    expect(gemini.promptTokensUpperBound).toBe(gemini.body.length + 1_048_576)
  })

  test('the output limit covers the budget of Anthropic, but not that of Alibaba', () => {
    const thinking = { type: 'enabled', budget_tokens: 2000 }
    expect(read({ ...CHAT, thinking }).thinkingBudget).toBe(2000)
    expect(read({ ...CHAT, thinking_budget: 2000 }).thinkingBudget).toBe(0)
  })
})

const target = { model: 'm', descriptor: openai }

describe('encodeRequest', () => {
  test('returns the identical bytes if nothing changes', () => {
    const request = read(' { "model":"m", "seed":9007199254740993, "messages":[{"role":"user"}] }')
    expect(encodeRequest(request, target)).toBe(request.body)
    const usage = { stream: true, stream_options: { include_usage: true } }
    for (const asked of [read({ ...CHAT, ...usage }), read({ ...CHAT, stream: false })]) {
      expect(encodeRequest(asked, target)).toBe(asked.body)
    }
    const always = read({ ...CHAT, stream: true })
    expect(encodeRequest(always, { model: 'm', descriptor: openrouter })).toBe(always.body)
  })

  test('replaces a mapped model and nothing else', () => {
    const text = '{"seed": 9007199254740993,"model": "m" ,"messages":[{"role":"user"}],"x":1e2}'
    expect(encodeRequest(read(text), { ...target, model: 'a"b' }).toString()).toBe(
      text.replace('"m"', '"a\\"b"'),
    )
  })

  test('asks for the usage of a stream and keeps the other options', () => {
    const others = { include_obfuscation: false, note: 'x'.repeat(2000) }
    const body = { ...CHAT, stream: true, stream_options: others }
    expect(JSON.parse(encodeRequest(read(body), target).toString())).toEqual({
      ...body,
      stream_options: { ...others, include_usage: true },
    })
    const twice = JSON.stringify({ ...body, stream_options: { include_usage: true } })
    const doubtful = twice.replace('"include_usage"', '"include_usage":false,$&')
    expect(encodeRequest(read(doubtful), target).toString()).toBe(twice)
    for (const include_usage of [false, true]) {
      const refused = { ...body, stream_options: { include_usage, Include_Usage: false } }
      expect(JSON.parse(encodeRequest(read(refused), target).toString())).toEqual({
        ...body,
        stream_options: { include_usage: true },
      })
    }
  })

  test.each([
    ['gpt-4o', 'max_tokens'],
    ['o3-mini', 'max_completion_tokens'],
    ['gpt-5.1', 'max_completion_tokens'],
    ['gpt-12', 'max_completion_tokens'],
    ['openchat', 'max_tokens'],
    ['gpt-35-turbo', 'max_tokens'],
  ])('limits the output of %s by %s', (model, name) => {
    const body = encodeRequest(read(CHAT), { ...target, model, outputLimit: 256 })
    expect(JSON.parse(body.toString())).toEqual({ model, messages, [name]: 256 })
  })

  test("limits the output of a deployment by the client's model name", () => {
    const asked = read({ model: 'o3', messages })
    const at = (descriptor: typeof openai | typeof azureOpenai) =>
      requestForCodec(asked, { descriptor, model: 'my-deployment', outputLimit: 256 })
    expect(at(azureOpenai)).toHaveProperty('max_completion_tokens', 256)
    expect(at(openai)).toHaveProperty('max_tokens', 256)
  })

  test('limits by the member the client uses, never above its value', () => {
    const limited = (body: object, outputLimit: number) =>
      requestForCodec(read({ ...CHAT, ...body }), { ...target, outputLimit })
    const [older, newer] = [{ max_tokens: 256 }, { max_completion_tokens: 256 }]
    expect(limited({ max_completion_tokens: 900 }, 256)).toMatchObject(newer)
    expect(limited({ max_tokens: 100 }, 256)).toMatchObject({ max_tokens: 100 })
    expect(limited({ max_tokens: null }, 256)).toMatchObject(older)
    const both = limited({ max_tokens: 900, max_completion_tokens: 800 }, 256)
    expect(both).toMatchObject({ ...older, ...newer })
  })

  test('does not limit an embedding', () => {
    const request = read({ model: 'm', input: 'a' }, 'embeddings')
    expect(encodeRequest(request, { ...target, outputLimit: 256 })).toBe(request.body)
  })

  test('limits a completion by max_tokens, whatever the model', () => {
    const request = read({ model: 'o9', prompt: 'a' }, 'completions')
    const body = encodeRequest(request, { ...target, model: 'o9', outputLimit: 9 })
    expect(JSON.parse(body.toString())).toEqual({ model: 'o9', prompt: 'a', max_tokens: 9 })
  })

  test('removes what a vendor refuses and uses its own names', () => {
    const kept = { ...CHAT, stream: true, temperature: 1 }
    const body = { ...kept, user: 'u', stream_options: { include_usage: true }, store: false }
    const text = `${JSON.stringify(body).slice(0, -1)},"seed":9007199254740993,"max_completion_tokens":9}`
    const encoded = encodeRequest(read(text), { model: 'm', descriptor: mistral }).toString()
    expect(encoded).toContain('"random_seed":9007199254740993')
    expect(JSON.parse(encoded)).toMatchObject({ ...kept, max_tokens: 9 })
    for (const name of ['user', 'stream_options', 'store', 'seed', 'max_completion_tokens']) {
      expect(encoded).not.toContain(`"${name}":`)
    }
    const plain = read(CHAT)
    expect(encodeRequest(plain, { model: 'm', descriptor: mistral })).toBe(plain.body)
    expect(encodeRequest(plain, { model: 'm', descriptor: groq })).toBe(plain.body)
  })

  test.each([openai, openrouter, custom])(
    'removes models other than the charged one: $name.en',
    (descriptor) => {
      const others = { models: ['dear'], route: 'fallback', Fallbacks: ['dear'] }
      const request = read({ ...CHAT, ...others })
      const body = encodeRequest(request, { model: 'm', descriptor })
      expect(JSON.parse(body.toString())).toEqual(CHAT)
      expect(requestForCodec(request, { model: 'm', descriptor })).toEqual(CHAT)
    },
  )

  test('keeps the output limit when the vendor has another name for it', () => {
    const request = read({ ...CHAT, max_completion_tokens: 900, max_tokens: null })
    const encode = (outputLimit: number) =>
      JSON.parse(
        encodeRequest(request, { model: 'o9', descriptor: mistral, outputLimit }).toString(),
      )
    expect(encode(256)).toEqual({ model: 'o9', messages, max_tokens: 256 })
    const silent = read(CHAT)
    const body = encodeRequest(silent, { model: 'o9', descriptor: mistral, outputLimit: 7 })
    expect(JSON.parse(body.toString())).toEqual({ model: 'o9', messages, max_tokens: 7 })
  })

  test('removes lists without a tool, and their settings', () => {
    const lists = { tools: [], tool_choice: 'auto', parallel_tool_calls: true }
    const old = { functions: [], function_call: 'none' }
    const request = read({ ...CHAT, ...lists, ...old, x: [] })
    const told = { ...CHAT, x: [] }
    expect(JSON.parse(encodeRequest(request, target).toString())).toEqual(told)
    expect(requestForCodec(request, target)).toEqual(told)
    const used = read({ ...CHAT, ...lists, ...old, tools: [{}], functions: [{}] })
    expect(encodeRequest(used, target)).toBe(used.body)
    expect(requestForCodec(used, target)).toEqual(used.json())
  })

  test('sets what a vendor requires', () => {
    const asked = read({ ...CHAT, detail: true })
    const body = encodeRequest(asked, { model: 'm', descriptor: fastgpt })
    expect(JSON.parse(body.toString())).toEqual({ ...CHAT, detail: false })
  })
})
