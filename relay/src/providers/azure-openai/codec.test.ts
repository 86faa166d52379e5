import { describe, expect, test } from 'vitest'
import type { ProviderCall } from '../../codec/provider-codec.ts'
import { conformance, MADE_ID } from '../../codec/testing/conformance.ts'
import { answers, failures, PROMPT_REPORT, streams, TEXT_STREAM } from './__fixtures__/wire.ts'
import { azureCodec } from './codec.ts'

const RESOURCE = 'https://my-resource.openai.azure.com'
const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hi' },
]

function call(parts: Partial<ProviderCall> = {}): ProviderCall {
  return {
    endpoint: 'chat',
    request: { model: 'gpt-4.1', messages },
    model: 'gpt-4.1',
    stream: false,
    channel: { baseUrl: RESOURCE, key: 'azure-key', other: '2024-10-21' },
    now: 0,
    id: MADE_ID,
    ...parts,
  }
}

conformance('azure', { codec: azureCodec, call, passesOn: true, answers, streams, failures })

describe('the address', () => {
  const urlOf = (other: string, baseUrl = RESOURCE, parts: Partial<ProviderCall> = {}) =>
    azureCodec.encode(call({ channel: { baseUrl, key: 'k', other }, ...parts })).url

  test('names the deployment, which is the model without dots, and the version', () => {
    const path = `${RESOURCE}/openai/deployments/gpt-41`
    expect(urlOf('2024-10-21')).toBe(`${path}/chat/completions?api-version=2024-10-21`)
    expect(urlOf('')).toBe(`${path}/chat/completions?api-version=2023-06-01-preview`)
    const endpoint = 'embeddings'
    expect(urlOf('2024-10-21', RESOURCE, { endpoint, model: 'a/b', request: {} })).toBe(
      `${RESOURCE}/openai/deployments/a%2Fb/embeddings?api-version=2024-10-21`,
    )
  })

  test.each([
    ['speech', 'application/json', 'audio/speech'],
    ['transcriptions', 'multipart/form-data; boundary=x', 'audio/transcriptions'],
  ] as const)('of %s is that of the deployment too', (endpoint, contentType, path) => {
    const { channel, now, id } = call()
    const body = Buffer.from('as it is')
    const task = { endpoint, model: 'tts-1', channel, now, id, contentType, body }
    expect(azureCodec.encodeTask(task)).toEqual({
      url: `${RESOURCE}/openai/deployments/tts-1/${path}?api-version=2024-10-21`,
      headers: {
        'api-key': 'azure-key',
        'content-type': contentType,
        accept: '*/*',
        'accept-encoding': 'identity',
      },
      body,
    })
  })

  test('has neither in the undated protocol', () => {
    expect(urlOf('v1')).toBe(`${RESOURCE}/openai/v1/chat/completions`)
    expect(urlOf('latest')).toBe(`${RESOURCE}/openai/v1/chat/completions`)
    expect(urlOf('preview', `${RESOURCE}/openai/v1/`, { endpoint: 'completions' })).toBe(
      `${RESOURCE}/openai/v1/completions?api-version=preview`,
    )
  })

  test.each([
    `${RESOURCE}/`,
    `${RESOURCE}/openai`,
    `${RESOURCE}/openai/deployments/`,
    `${RESOURCE}/openai/deployments/x/chat/completions?api-version=2023-05-15`,
    ` ${RESOURCE}/openai/v1 `,
  ])('may be copied from the portal: %s', (baseUrl) => {
    expect(urlOf('2024-10-21', baseUrl)).toBe(
      `${RESOURCE}/openai/deployments/gpt-41/chat/completions?api-version=2024-10-21`,
    )
  })

  test('keeps the path and the query of a proxy', () => {
    expect(urlOf('2024-10-21', 'https://proxy.example/openai/azure?tenant=7')).toBe(
      'https://proxy.example/openai/azure/openai/deployments/gpt-41/chat/completions?tenant=7&api-version=2024-10-21',
    )
    expect(urlOf('v1', 'https://openai/v1')).toBe('https://openai/v1/openai/v1/chat/completions')
  })

  test("begins with the deployment behind Cloudflare's gateway", () => {
    const gateway = 'https://gateway.ai.cloudflare.com/v1/account/gate/azure-openai/my-resource'
    expect(urlOf('2024-10-21', gateway)).toBe(
      `${gateway}/gpt-41/chat/completions?api-version=2024-10-21`,
    )
  })
})

test('sends the key in its own header, and the request as it is', () => {
  const request = { model: 'gpt-4.1', messages, stream: true, tools: [{ type: 'function' }] }
  const { headers, body } = azureCodec.encode(call({ stream: true, request }))
  expect(headers).toEqual({
    'api-key': 'azure-key',
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'accept-encoding': 'identity',
  })
  expect(JSON.parse(body.toString())).toEqual(request)
})

describe('an older version', () => {
  const encode = (other: string, more: object) => {
    const channel = { baseUrl: RESOURCE, key: 'k', other }
    const { body } = azureCodec.encode(call({ channel, request: { model: 'm', ...more } }))
    return JSON.parse(body.toString())
  }

  test('is not told hints that it does not know', () => {
    const hints = { stream_options: { include_usage: true }, parallel_tool_calls: true }
    expect(encode('2024-08-01-preview', hints)).toEqual({ model: 'm' })
    expect(encode('2024-09-01-preview', hints)).toEqual({ model: 'm', ...hints })
    expect(encode('', { encoding_format: 'float', tool_choice: 'none', tools: [] })).toEqual({
      model: 'm',
    })
  })

  test('is told the limit of the output by its old name', () => {
    const limits = { max_tokens: 5, max_completion_tokens: 9 }
    expect(encode('2024-06-01', limits)).toEqual({ model: 'm', max_tokens: 9 })
    expect(encode('2024-06-01', { max_completion_tokens: null })).toEqual({ model: 'm' })
    expect(encode('2024-10-21', limits)).toEqual({ model: 'm', ...limits })
  })

  test.each<[string, object, string]>([
    ['2023-06-01-preview', { functions: [{ name: 'f' }] }, 'functions'],
    ['2023-06-01-preview', { tools: [{ type: 'function' }] }, 'tools'],
    ['2023-10-01-preview', { tool_choice: 'required' }, 'tool_choice'],
    ['2024-02-01', { dimensions: 256 }, 'dimensions'],
    ['2024-02-01', { encoding_format: 'base64' }, 'encoding_format'],
    ['2024-06-01', { response_format: { type: 'json_schema' } }, 'response_format'],
  ])('%s refuses %j', (other, more, param) => {
    expect(() => encode(other, more)).toThrow(
      expect.objectContaining({
        name: 'Untranslatable',
        param,
        message: expect.stringContaining(other),
      }),
    )
    expect(encode('2024-10-21', more)).toEqual({ model: 'm', ...more })
    expect(encode('v1', more)).toEqual({ model: 'm', ...more })
  })
})

test('takes only the report on the prompt out of a stream', () => {
  const decoder = azureCodec.answers.decoder(call({ stream: true }))
  const events = [...decoder.push(Buffer.from(TEXT_STREAM)), ...decoder.end()]
  expect(Buffer.concat(events).toString()).toBe(TEXT_STREAM.slice(PROMPT_REPORT.length))
})
