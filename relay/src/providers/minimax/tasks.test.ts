import { expect, test } from 'vitest'
import { taskTo } from '../../codec/testing/call-to.ts'
import { minimaxCodec } from './codec.ts'

test('what is no answer, or fails with status 200, comes back as it is', () => {
  const refused = { data: { image_urls: ['x'], audio: '00' }, base_resp: { status_code: 1008 } }
  const texts = ['', '<html>', '[]', '7', '{"data":7}', '{"data":{"audio":"zz"}}']
  for (const text of [...texts, JSON.stringify(refused)]) {
    for (const endpoint of ['speech', 'images'] as const) {
      const call = taskTo(endpoint, { key: 'mm', model: 'image-01', request: {} })
      expect(minimaxCodec.decodeTask(Buffer.from(text), call).toString()).toBe(text)
    }
  }
})
