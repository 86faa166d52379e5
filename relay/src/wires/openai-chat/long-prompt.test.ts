import { expect, test } from 'vitest'
import { mistral } from '../../providers/mistral/descriptor.ts'
import { openai } from '../../providers/openai-compatible/descriptor.ts'
import { encodeRequest, requestForCodec } from './encode-request.ts'
import { readRequest } from './read-head.ts'
import { requestIn } from './testing/chat.ts'

const target = { model: 'm', descriptor: openai }

test('a long prompt is passed on unchanged, and parsed only where its text is needed', () => {
  const content = 'Line "1"\n'.repeat(300)
  const asked = { model: 'm', messages: [{ role: 'assistant', content }] }
  const request = requestIn(asked)
  expect(request.outline).toEqual({ model: 'm', messages: [{ role: 'assistant', content: '' }] })
  expect(request.json()).toEqual(asked)
  expect(encodeRequest(request, target)).toBe(request.body)
  const renamed = { ...target, model: 'other' }
  expect(encodeRequest(request, renamed).toString()).toBe(
    request.body.toString().replace('"m"', '"other"'),
  )
  expect(requestForCodec(request, renamed)).toEqual({ ...asked, model: 'other' })
  const begun = encodeRequest(request, { ...target, descriptor: mistral }).toString()
  expect(JSON.parse(begun)).toEqual({
    model: 'm',
    messages: [{ role: 'assistant', content, prefix: true }],
  })
})

test('an invalid long prompt is refused like a short one', () => {
  for (const wrong of ['\u0007', '\\x', '\\u12g4']) {
    const content = `${'long '.repeat(300)}${wrong}`
    const body = `{"model":"m","messages":[{"role":"user","content":"${content}"}]}`
    expect(readRequest('chat', Buffer.from(body))).toMatchObject({
      message: 'The request body is not valid JSON.',
    })
  }
})
