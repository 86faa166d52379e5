import { describe, expect, test } from 'vitest'
import { countOptions, countPrompt, countPromptUpperBound } from './count-tokens.ts'
import type { TextEndpoint } from './provider.ts'
import type { CountOptions } from './relay-request.ts'
import { countText } from './tokens/count-text.ts'
import { requestIn as read } from './wires/openai-chat/testing/chat.ts'

describe('countText', () => {
  test.each([
    ['hello world!', 3, 3],
    ['今天天气怎么样？', 10, 5],
    ['你好，请用一句话介绍杭州。', 15, 8],
    ['The quick brown fox jumps over the lazy dog.', 10, 10],
    ['function add(a, b) {\n  return a + b;\n}\n', 14, 14],
    ['{"tz":"Asia/Tokyo"}', 8, 8],
    ['12345678901234567890', 7, 7],
    ['😀🎉', 5, 3],
    ['\n\n\n', 1, 1],
    ['', 0, 0],
    ['<|endoftext|>', 7, 7],
  ])('counts %j as OpenAI does', async (text, cl100k, o200k) => {
    expect(await countText('gpt-4', text)).toBe(cl100k)
    expect(await countText('gpt-4o', text)).toBe(o200k)
    expect(await countText('openai/gpt-4o-mini', text)).toBe(o200k)
  })

  test.each([
    ['gpt-oss-120b', 5],
    ['gpt-5.4', 5],
    ['gpt-6-astra', 5],
    ['o3', 5],
    ['chatgpt-4o-latest', 5],
    ['gpt-4.1-nano', 5],
    ['gpt-4-turbo', 10],
    ['gpt-35-turbo', 10],
    ['text-embedding-3-small', 10],
    ['ft:gpt-3.5-turbo:x', 10],
    ['some-model', 5],
    ['claude-sonnet-4-5', 6],
    ['claude-opus-4-7', 6],
    ['llama-3.3-70b', 10],
    ['glm-4.7', 6],
    ['deepseek-v4', 5],
  ])('chooses the encoding and factor of %s', async (model, tokens) => {
    expect(await countText(model, '今天天气怎么样？')).toBe(tokens)
  })

  test.each(['text-davinci-003', 'text-davinci-edit-001', 'davinci'])(
    'loads the old encoding of %s too',
    async (model) => expect(await countText(model, 'hello world')).toBe(2),
  )

  test('uses a larger factor for new Claude models, whose tokens are shorter in Latin text', async () => {
    const text = 'The quick brown fox jumps over the lazy dog.'
    expect(await countText('claude-3-haiku-20240307', text)).toBe(11)
    expect(await countText('claude-opus-5', text)).toBe(15)
    expect(await countText('deepseek-chat', text)).toBe(14)
  })

  test('is close to exact in long texts, though it counts in windows', async () => {
    const sentence = 'The quick brown fox jumps over the lazy dog. '
    expect(await countText('gpt-4o', sentence.repeat(1000))).toBe(10_001)
    const chinese = await countText('gpt-4o', '你好，请用一句话介绍杭州。'.repeat(1000))
    expect(Math.abs(chinese - 8000)).toBeLessThan(300)
  })

  test('never splits a surrogate pair', async () => {
    const text = `a${'😀'.repeat(500)}`
    expect(await countText('gpt-4o', text)).toBeLessThan(1100)
  })

  test('estimates texts above the limit, and all texts when the limit is 0', async () => {
    const text = 'x'.repeat(1000)
    expect(await countText('gpt-4o', text, { exactBytesMax: 999 })).toBe(380)
    expect(await countText('gpt-4o', text, { exactBytesMax: 0 })).toBe(380)
    expect(await countText('gpt-4o', text, { exactBytesMax: 1000 })).toBeLessThan(380)
  })

  test('reports whether it estimates', async () => {
    const estimates = async (text: string, options: CountOptions) => {
      let times = 0
      await countText('gpt-4o', text, { ...options, onEstimate: () => (times += 1) })
      return times
    }
    const options = { ApproximateTokenEnabled: false, ExactTokenBytes: 1000 }
    expect(await estimates('x'.repeat(1000), countOptions(options))).toBe(0)
    expect(await estimates('x'.repeat(1001), countOptions(options))).toBe(1)
    const all = countOptions({ ...options, ApproximateTokenEnabled: true })
    expect([await estimates('x', all), await estimates('', all)]).toEqual([1, 0])
  })

  test('takes little time for runs that are hard to merge', async () => {
    await countText('gpt-4o', 'warm')
    for (const text of ['a', ' ', '!', '天气今']) {
      const start = performance.now()
      await countText('gpt-4o', text.repeat(130_000 / Buffer.byteLength(text)))
      expect(performance.now() - start, text).toBeLessThan(2500)
    }
  })
})

const system = { role: 'system', content: 'You are a helpful assistant.' }

describe('countPrompt', () => {
  test('adds the frame of messages, roles and names', async () => {
    const messages = [system, { role: 'user', name: 'bob', content: '你好，请用一句话介绍杭州。' }]
    expect(await countPrompt(read({ model: 'gpt-4', messages }))).toBe(34)
    expect(await countPrompt(read({ model: 'gpt-4o', messages }))).toBe(27)
    expect(await countPrompt(read({ model: 'mine', messages }), { model: 'gpt-4' })).toBe(34)
    const long = [{ role: 'user', content: 'word '.repeat(1000) }]
    expect(await countPrompt(read({ model: 'gpt-4o', messages: long }))).toBeGreaterThan(1000)
  })

  test('adds tools as the cookbook counts them', async () => {
    const parameters = {
      type: 'object',
      properties: {
        tz: { type: 'string', description: 'IANA zone name' },
        style: { type: 'string', description: 'Clock style', enum: ['h12', 'h24'] },
      },
    }
    const description = 'Look up the local time of a place.'
    const described = { name: 'get_time', description, parameters }
    const messages = [system, { role: 'user', content: 'What time is it in Tokyo?' }]
    const tools = [{ type: 'function', function: described }]
    expect(await countPrompt(read({ model: 'gpt-4', messages }))).toBe(24)
    expect(await countPrompt(read({ model: 'gpt-4o', messages }))).toBe(24)
    expect(await countPrompt(read({ model: 'gpt-4', messages, tools }))).toBe(85)
    expect(await countPrompt(read({ model: 'gpt-4o', messages, tools }))).toBe(81)
    expect(await countPrompt(read({ model: 'gpt-4o', messages, functions: [described] }))).toBe(81)
    const other = await countPrompt(read({ model: 'some-model', messages, tools }))
    expect(other).toBe(24 + (await countText('some-model', JSON.stringify(tools))))
  })

  test('counts parts, refusals and calls', async () => {
    const part = { type: 'text', text: 'hello world!' }
    const parts = { role: 'user', content: [part, part] }
    expect(await countPrompt(read({ model: 'gpt-4o', messages: [parts] }))).toBe(3 + 3 + 1 + 6)
    const call = { role: 'assistant', tool_calls: [{ function: { name: 'get', arguments: '{}' } }] }
    expect(await countPrompt(read({ model: 'gpt-4o', messages: [call] }))).toBe(3 + 3 + 1 + 3 + 2)
  })

  test('counts an image by its size, or as 1024 × 1024 when that is unknown', async () => {
    const png = Buffer.alloc(24)
    png.write('\x89PNG\r\n\x1a\n', 'latin1')
    png.writeUInt32BE(256, 16)
    png.writeUInt32BE(256, 20)
    const image = (url: string, detail?: string) => {
      const content = [{ type: 'image_url', image_url: { url, detail } }]
      return countPrompt(read({ model: 'gpt-4o', messages: [{ role: 'user', content }] }))
    }
    expect(await image(`data:image/png;base64,${png.toString('base64')}`)).toBe(7 + 255)
    expect(await image('https://x.example/a.png')).toBe(7 + 765)
    expect(await image('https://x.example/a.png', 'low')).toBe(7 + 85)
  })

  test.each<[TextEndpoint, object, number]>([
    ['completions', { prompt: 'hello world!' }, 3],
    ['completions', { prompt: ['hello world!', 'hello world!'] }, 6],
    ['completions', { prompt: [1, 2, 3, 4] }, 4],
    ['embeddings', { input: 'hello world!' }, 3],
    ['embeddings', { input: [[1, 2], [3]] }, 3],
  ])('counts what %s take: %j', async (endpoint, body, tokens) => {
    expect(await countPrompt(read({ model: 'gpt-4o', ...body }, endpoint))).toBe(tokens)
  })

  test('never counts more than the bound of the hold', async () => {
    const messages = Array.from({ length: 50 }, () => ({ role: 'user', content: '\u0001ﷺ' }))
    for (const model of ['gpt-4', 'gpt-4o', 'claude-opus-5']) {
      const request = read({ model, messages })
      expect(await countPrompt(request)).toBeLessThanOrEqual(request.promptTokensUpperBound)
    }
  })

  test('shares one limit among all texts of a request', async () => {
    const messages = Array.from({ length: 10 }, () => ({ role: 'user', content: 'x'.repeat(100) }))
    const request = read({ model: 'gpt-4o', messages })
    expect(await countPrompt(request, { exactBytesMax: 0 })).toBe(3 + 10 * (3 + 1 + 38))
    const exact = await countPrompt(request)
    const partly = await countPrompt(request, { exactBytesMax: 520 })
    expect(partly).toBeGreaterThan(exact)
    expect(partly).toBeLessThan(3 + 10 * (3 + 1 + 38))
  })
})

describe('countPromptMost', () => {
  const bytesOf = (body: object) => JSON.stringify(body).length
  const words = 'hello '.repeat(1000)

  test('counts the texts of messages, and all else as one token per byte', async () => {
    const tokens = await countText('gpt-4o', words)
    for (const content of [words, [{ type: 'text', text: words }]]) {
      const body = { model: 'gpt-4o', messages: [{ role: 'user', content }] }
      expect(await countPromptUpperBound(read(body))).toBe(bytesOf(body) - words.length + tokens)
    }
  })

  test.each([
    ['a schema', { response_format: { json_schema: { schema: { description: words } } } }],
    ['a tool', { tools: [{ function: { name: 'f', parameters: { $defs: { a: words } } } }] }],
    ['a prediction', { prediction: { content: words } }],
  ])('counts everything in %s', async (_what, more) => {
    const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }], ...more }
    expect(await countPromptUpperBound(read(body))).toBeGreaterThan(words.length)
  })

  test('counts text that is too long by its bytes', async () => {
    const body = { model: 'gpt-4o', messages: [{ role: 'user', content: words }] }
    expect(await countPromptUpperBound(read(body), { exactBytesMax: 100 })).toBe(bytesOf(body))
  })

  test('is never zero', async () => {
    const request = read({ model: 'text-embedding-3-small', input: '' }, 'embeddings')
    expect(await countPromptUpperBound(request)).toBeGreaterThan(0)
  })
})
