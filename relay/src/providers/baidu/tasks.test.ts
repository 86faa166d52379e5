import { describe, expect, test } from 'vitest'
import type { TaskCall } from '../../codec/provider-codec.ts'
import { baiduCodec } from './codec.ts'

describe('images and rerank', () => {
  const asked = (endpoint: TaskCall['endpoint'], key: string, request: object): TaskCall => ({
    endpoint,
    model: 'Bce-Reranker-Base',
    channel: { baseUrl: '', key, other: '' },
    now: 0,
    id: 'r-1',
    body: Buffer.from(JSON.stringify(request)),
    contentType: 'application/json',
  })
  const KEY = 'bce-v3/ALTAK-a/b'

  test('are V2, in the form of others', () => {
    const request = { model: 'Bce-Reranker-Base', query: 'q', documents: ['a', { text: 'b' }] }
    const { url, headers, body } = baiduCodec.encodeTask(asked('rerank', `${KEY}|app-1`, request))
    expect(url).toBe('https://qianfan.baidubce.com/v2/rerank')
    expect(headers).toMatchObject({ authorization: `Bearer ${KEY}`, appid: 'app-1' })
    expect(JSON.parse(body.toString())).toEqual({
      model: 'bce-reranker-base',
      query: 'q',
      documents: ['a', 'b'],
    })
    const image = baiduCodec.encodeTask(asked('images', KEY, { prompt: 'a cat', n: 2 }))
    expect(image.url).toBe('https://qianfan.baidubce.com/v2/images/generations')
    expect(image.headers).not.toHaveProperty('appid')
    expect(JSON.parse(image.body.toString())).toEqual({
      model: 'bce-reranker-base',
      prompt: 'a cat',
      n: 2,
    })
  })

  test('images come in one piece', () => {
    const streamed = asked('images', KEY, { prompt: 'a cat', stream: true })
    expect(() => baiduCodec.encodeTask(streamed)).toThrow(
      expect.objectContaining({ name: 'Untranslatable', param: 'stream' }),
    )
  })

  test('are not to be had with a key of V1', () => {
    expect(() =>
      baiduCodec.encodeTask(asked('images', 'access_token=24.b', { prompt: 'a' })),
    ).toThrow(expect.objectContaining({ name: 'Untranslatable' }))
  })
})
