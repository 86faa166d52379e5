import { expect, test } from 'vitest'
import { taskTo } from '../../streams/testing/call-to.ts'
import { minimaxCodec } from './codec.ts'

test('an invalid answer, or a failure with status 200, is returned unchanged', () => {
  const refused = { data: { image_urls: ['x'], audio: '00' }, base_resp: { status_code: 1008 } }
  const texts = ['', '<html>', '[]', '7', '{"data":7}', '{"data":{"audio":"zz"}}']
  for (const text of [...texts, JSON.stringify(refused)]) {
    for (const endpoint of ['speech', 'images'] as const) {
      const call = taskTo(endpoint, { key: 'mm', model: 'image-01', request: {} })
      expect(minimaxCodec.decodeTask(Buffer.from(text), call).toString()).toBe(text)
    }
  }
})
