import { expect, test } from 'vitest'
import { formIn } from '../../fit/testing/chats.ts'
import { callTo, taskTo } from '../../streams/testing/call-to.ts'
import { azureCodec } from './codec.ts'

const RESOURCE = 'https://my-resource.openai.azure.com'
const channel = { baseUrl: RESOURCE, key: 'azure-key', other: '2024-10-21' }

test.each([
  ['speech', 'application/json', 'audio/speech'],
  ['transcriptions', 'multipart/form-data; boundary=x', 'audio/transcriptions'],
] as const)(
  '%s is sent unchanged to the address of the deployment',
  (endpoint, contentType, path) => {
    const body = Buffer.from('as it is')
    const task = taskTo(endpoint, { key: 'azure-key', model: 'tts-1', request: {} })
    expect(azureCodec.encodeTask({ ...task, channel, contentType, body })).toEqual({
      url: `${RESOURCE}/openai/deployments/tts-1/${path}?api-version=2024-10-21`,
      headers: {
        'api-key': 'azure-key',
        'content-type': contentType,
        accept: '*/*',
        'accept-encoding': 'identity',
      },
      body,
    })
  },
)

test('receives no codec-only members of another dialect', () => {
  const asking = { role: 'user', content: 'Hi' }
  const messages = [asking, { role: 'assistant', content: 'Hello', reasoning_content: 'Hm' }]
  const request = { model: 'gpt-5', messages, max_tokens: 9, top_k: 3, safety_settings: [] }
  const model = { key: 'azure-key', model: 'gpt-5' }
  const asked = callTo(model, { channel, request, form: formIn(request) })
  expect(JSON.parse(azureCodec.encode(asked).body.toString())).toEqual({
    model: 'gpt-5',
    messages: [asking, { role: 'assistant', content: 'Hello' }],
    max_completion_tokens: 9,
  })
})
