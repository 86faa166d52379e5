import { expect, test } from 'vitest'
import { taskTo } from '../../streams/testing/call-to.ts'
import { zhipuCodec } from './codec.ts'

test('a recording is sent unchanged, with a signed token', () => {
  const key = '0123456789abcdef0123456789abcdef.AbCdEfGhIjKlMnOp'
  const contentType = 'multipart/form-data; boundary=x'
  const body = Buffer.from('as it is')
  const task = taskTo('transcriptions', { key, model: 'glm-asr-2512', request: {} })
  expect(zhipuCodec.encodeTask({ ...task, contentType, body })).toEqual({
    url: 'https://open.bigmodel.cn/api/paas/v4/audio/transcriptions',
    headers: {
      // By Zhipu's JWT algorithm (https://docs.bigmodel.cn); recomputed in Python and Node.
      authorization:
        'Bearer eyJhbGciOiJIUzI1NiIsInNpZ25fdHlwZSI6IlNJR04ifQ.eyJhcGlfa2V5IjoiMDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWYiLCJleHAiOjE3MzU2ODk4MTAwMDAsInRpbWVzdGFtcCI6MTczNTY4OTYwMDAwMH0.c_yo0FABYDcMkQvgBn_b0D3F6o0ynpme16-5_Yjx0P8',
      'content-type': contentType,
      accept: '*/*',
      'accept-encoding': 'identity',
    },
    body,
  })
})
