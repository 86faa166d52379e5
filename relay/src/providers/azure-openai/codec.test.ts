import { expect, test } from 'vitest'
import { taskTo } from '../../streams/testing/call-to.ts'
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
