import { expect, test } from 'vitest'
import { callTo } from '../../streams/testing/call-to.ts'
import { PASSED, passedUnchanged } from '../../streams/testing/decode-whole.ts'
import { tencentCodec } from './codec.ts'
import { signature } from './sign.ts'

test('the signature covers the bytes that are sent', () => {
  const key = '1250000000|AKIDEXAMPLE0000000000000000000000000|EXAMPLEsecretKEY0000000000000000'
  const request = { model: 'hunyuan-lite', messages: [{ role: 'user', content: '你好' }] }
  const { body, headers } = tencentCodec.encode(callTo({ key, model: 'hunyuan-lite' }, { request }))
  expect(body.toString()).toBe(
    '{"Model":"hunyuan-lite","Messages":[{"Role":"user","Content":"你好"}],"Stream":false}',
  )
  // By Tencent's steps for TC3-HMAC-SHA256; recomputed in Python and Node.
  expect(headers).toMatchObject({
    authorization: expect.stringContaining(
      'Signature=ba7cdca9edfc87976c689f09e2b7954c33d74fa3fe0a8d4dd5ed6d6ca25f0d5c',
    ),
  })
})

test('the signature is valid for any host of Tencent', () => {
  const secret = { id: 'a', key: 'b' }
  const signing = { secret, action: 'ChatCompletions', body: Buffer.from('{}'), now: 0 }
  const signedFor = (url: string) => signature({ ...signing, url })['authorization']
  expect(signedFor('https://hunyuan.ap-guangzhou.tencentcloudapi.com/')).not.toBe(
    signedFor('https://hunyuan.tencentcloudapi.com/'),
  )
})

test('answers for a key without parts pass unchanged', () => {
  const asked = callTo({ key: 'sk-1', model: 'hunyuan-lite' }, { stream: true })
  expect(passedUnchanged(tencentCodec.answers, asked)).toEqual(PASSED)
})
