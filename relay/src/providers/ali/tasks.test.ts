import { describe, expect, test } from 'vitest'
import type { TaskCall } from '../../codec/provider-codec.ts'
import { aliCodec } from './codec.ts'

const call = (
  endpoint: TaskCall['endpoint'],
  model: string,
  request: object,
  channel: Partial<TaskCall['channel']> = {},
): TaskCall => ({
  endpoint,
  model,
  channel: { baseUrl: '', key: 'sk-ali', other: '', ...channel },
  now: 1_760_000_000_500,
  id: 'r-1',
  body: Buffer.from(JSON.stringify({ model, ...request })),
  contentType: 'application/json',
})

const bodyOf = (asked: TaskCall): unknown =>
  JSON.parse(aliCodec.encodeTask(asked).body.toString('utf8'))
const decoded = (answer: object, asked: TaskCall): unknown =>
  JSON.parse(aliCodec.decodeTask(Buffer.from(JSON.stringify(answer)), asked).toString('utf8'))

describe('images', () => {
  const asked = call('images', 'wanx-v1', {
    prompt: 'a cat',
    negative_prompt: 'a dog',
    n: 2,
    size: '720x1280',
    quality: 'hd',
    user: 'u',
    style: '<anime>',
    seed: 7,
  })

  test('are queued', () => {
    const { url, headers } = aliCodec.encodeTask(asked)
    expect(url).toBe(
      'https://dashscope.aliyuncs.com/api/v1/services/aigc/text2image/image-synthesis',
    )
    expect(headers).toEqual({
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      authorization: 'Bearer sk-ali',
      'x-dashscope-async': 'enable',
    })
    expect(bodyOf(asked)).toEqual({
      model: 'wanx-v1',
      input: { prompt: 'a cat', negative_prompt: 'a dog' },
      parameters: { size: '720*1280', n: 2, seed: 7, style: '<anime>' },
    })
    expect(aliCodec.queue.isNeeded(asked)).toBe(true)
  })

  test('know Stable Diffusion by its own name, without the one of this family', () => {
    const { model } = Object(bodyOf(call('images', 'ali-stable-diffusion-xl', { prompt: 'a' })))
    expect(model).toBe('stable-diffusion-xl')
  })

  test('come at once from the newest models', () => {
    const atOnce = call('images', 'qwen-image', { prompt: 'a cat', size: '1328x1328' })
    const { url, headers } = aliCodec.encodeTask(atOnce)
    expect(aliCodec.queue.isNeeded(atOnce)).toBe(false)
    expect(url).toMatch(/\/api\/v1\/services\/aigc\/multimodal-generation\/generation$/)
    expect(headers).not.toHaveProperty('x-dashscope-async')
    expect(bodyOf(atOnce)).toEqual({
      model: 'qwen-image',
      input: { messages: [{ role: 'user', content: [{ text: 'a cat' }] }] },
      parameters: { n: 1, size: '1328*1328' },
    })
    const message = { role: 'assistant', content: [{ image: 'https://oss.example/a.png' }] }
    const answer = { output: { choices: [{ finish_reason: 'stop', message }] } }
    expect(decoded(answer, atOnce)).toEqual({
      created: 1_760_000_000,
      data: [{ url: 'https://oss.example/a.png' }],
    })
  })

  test.each([
    ['as data', 'response_format', 'b64_json'],
    ['in a stream', 'stream', true],
  ])('are not given %s', (_how, param, value) => {
    const wrong = call('images', 'wanx-v1', { prompt: 'a', [param]: value })
    expect(() => aliCodec.encodeTask(wrong)).toThrow(
      expect.objectContaining({ name: 'Untranslatable', param }),
    )
  })

  test('are asked for with the ticket until the task is done', () => {
    const ticketIn = (json: unknown) => aliCodec.queue.ticket(Buffer.from(JSON.stringify(json)))
    expect(ticketIn({ output: { task_id: 'a/b', task_status: 'PENDING' } })).toBe('a/b')
    expect(
      [{}, [], 7, { output: { task_id: 7 } }, { output: { task_id: '\ud800' } }].map(ticketIn),
    ).toEqual(Array.from({ length: 5 }, () => null))
    expect(aliCodec.queue.ask(asked, 'a/b')).toEqual({
      url: 'https://dashscope.aliyuncs.com/api/v1/tasks/a%2Fb',
      headers: { authorization: 'Bearer sk-ali' },
    })
    const isDone = (task_status: string) =>
      aliCodec.queue.isDone(Buffer.from(JSON.stringify({ output: { task_status } })))
    expect(['PENDING', 'RUNNING'].map(isDone)).toEqual([false, false])
    expect(['SUCCEEDED', 'FAILED', 'CANCELED', 'UNKNOWN', ''].map(isDone)).toEqual(
      Array.from({ length: 5 }, () => true),
    )
  })

  test('are those that could be made', () => {
    const results = [
      { url: 'https://oss.example/a.png', actual_prompt: 'a small cat' },
      { code: 'InternalError.Timeout', message: 'late' },
      { b64_image: 'aW1hZ2U=' },
    ]
    expect(decoded({ output: { task_status: 'SUCCEEDED', results } }, asked)).toEqual({
      created: 1_760_000_000,
      data: [
        { url: 'https://oss.example/a.png', revised_prompt: 'a small cat' },
        { b64_json: 'aW1hZ2U=' },
      ],
    })
  })

  test('a task that failed says why', () => {
    const output = { task_status: 'FAILED', code: 'DataInspectionFailed', message: 'no' }
    expect(decoded({ request_id: 'r', output }, asked)).toEqual({
      error: { code: 'DataInspectionFailed', message: 'no' },
    })
    const canceled = { output: { task_status: 'CANCELED' } }
    expect(decoded(canceled, asked)).toEqual(canceled)
  })
})

describe('edits', () => {
  const images = [
    { image_url: 'https://a.example/a.png' },
    { image_url: 'data:image/png;base64,aW1n' },
  ]
  const edit = (model: string, more: object = {}) =>
    call('imageEdits', model, { prompt: 'a hat', images, ...more })

  test('are asked for with the pictures before the text, and come at once', () => {
    const asked = edit('qwen-image-edit-plus', {
      n: 2,
      size: '1024x1536',
      negative_prompt: 'blur',
      watermark: false,
      input_fidelity: 'high',
    })
    const { url, headers } = aliCodec.encodeTask(asked)
    expect(aliCodec.queue.isNeeded(asked)).toBe(false)
    expect(url).toMatch(/\/api\/v1\/services\/aigc\/multimodal-generation\/generation$/)
    expect(headers).not.toHaveProperty('x-dashscope-async')
    const content = [
      { image: 'https://a.example/a.png' },
      { image: 'data:image/png;base64,aW1n' },
      { text: 'a hat' },
    ]
    expect(bodyOf(asked)).toEqual({
      model: 'qwen-image-edit-plus',
      input: { messages: [{ role: 'user', content }] },
      parameters: { n: 2, size: '1024*1536', watermark: false, negative_prompt: 'blur' },
    })
    expect(bodyOf(edit('qwen-image-edit', { size: 'auto' }))).toMatchObject({
      parameters: { n: 1 },
    })
    const message = { content: [{ image: 'https://oss.example/b.png' }] }
    expect(decoded({ output: { choices: [{ message }] } }, asked)).toEqual({
      created: 1_760_000_000,
      data: [{ url: 'https://oss.example/b.png' }],
    })
  })

  test.each([
    ['model', edit('wanx2.1-imageedit')],
    ['mask', edit('qwen-image-edit', { mask: { image_url: 'data:image/png;base64,aW1n' } })],
    ['response_format', edit('qwen-image-edit', { response_format: 'b64_json' })],
    ['image', edit('qwen-image-edit', { images: [...images, ...images] })],
    ['images.0', edit('qwen-image-edit', { images: [{ file_id: 'file-1' }] })],
    ['images.0', edit('qwen-image-edit', { images: [{ image_url: 'data:image/png,x' }] })],
  ])('that it has no words for are refused for their %s', (param, asked) => {
    expect(() => aliCodec.encodeTask(asked)).toThrow(
      expect.objectContaining({ name: 'Untranslatable', param }),
    )
  })
})

describe('rerank', () => {
  const request = {
    query: 'q',
    documents: ['a', { text: 'b' }],
    top_n: 1,
    return_documents: true,
    rank_fields: ['text'],
    instruct: 'find answers',
  }
  const asked = call('rerank', 'qwen3-rerank', request, { other: '{"x":1}' })

  test('is translated', () => {
    const { url, headers } = aliCodec.encodeTask(asked)
    expect(url).toBe(
      'https://dashscope.aliyuncs.com/api/v1/services/rerank/text-rerank/text-rerank',
    )
    expect(headers).toMatchObject({ 'x-dashscope-plugin': '{"x":1}' })
    expect(bodyOf(asked)).toEqual({
      model: 'qwen3-rerank',
      input: { query: 'q', documents: ['a', 'b'] },
      parameters: { top_n: 1, return_documents: true, instruct: 'find answers' },
    })
  })

  test('compares pictures where the model sees', () => {
    const documents = [{ image: 'https://a.example/b.png' }]
    const seeing = call('rerank', 'qwen3-vl-rerank', { query: { text: 'q' }, documents })
    expect(bodyOf(seeing)).toMatchObject({ input: { query: { text: 'q' }, documents } })
    expect(() =>
      aliCodec.encodeTask(call('rerank', 'gte-rerank-v2', { query: 'q', documents })),
    ).toThrow(expect.objectContaining({ name: 'Untranslatable', param: 'documents.0' }))
  })

  test('is answered in the form that clients know', () => {
    const results = [{ index: 1, relevance_score: 0.5, document: { text: 'b' } }]
    const answer = { request_id: 'r-7', output: { results }, usage: { total_tokens: 79 } }
    expect(decoded(answer, asked)).toEqual({
      id: 'r-7',
      model: 'qwen3-rerank',
      results,
      usage: { total_tokens: 79 },
    })
    const failure = { code: 'InvalidParameter', message: 'no' }
    expect(decoded(failure, asked)).toEqual(failure)
  })
})

test('an answer that is none comes back as it is', () => {
  for (const text of ['', '<html>', '[]', '7', '{"output":7}']) {
    const body = Buffer.from(text)
    for (const endpoint of ['images', 'rerank'] as const) {
      expect(aliCodec.decodeTask(body, call(endpoint, 'm', {})).toString()).toBe(text)
    }
  }
})
