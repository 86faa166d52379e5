import { expect, test } from 'vitest'
import { FetchRefused, type GuardedFetch } from './guarded-fetch.ts'
import { hasRemoteImages, inlineImages } from './inline-images.ts'

const PNG = { bytes: Buffer.from('png'), type: 'image/png' }
const DATA = `data:image/png;base64,${PNG.bytes.toString('base64')}`

const image = (image_url: unknown) => ({ type: 'image_url', image_url })
const asking = (...content: unknown[]) => ({ messages: [{ role: 'user', content }], model: 'm' })

test('every image URL is replaced by its data, everything else stays', async () => {
  const fetched: string[] = []
  const fetchGuarded: GuardedFetch = async (url) => {
    fetched.push(url)
    return PNG
  }
  const text = { type: 'text', text: 'http://not.an/image' }
  const [a, b] = ['https://pictures.test/a', 'HTTP://pictures.test/b']
  const given = asking(
    text,
    image({ url: a, detail: 'low' }),
    image(b),
    image({ url: a }),
    image({ url: DATA }),
  )
  expect(await inlineImages(given, fetchGuarded)).toEqual(
    asking(
      text,
      image({ url: DATA, detail: 'low' }),
      image({ url: DATA }),
      image({ url: DATA }),
      image({ url: DATA }),
    ),
  )
  expect(fetched).toEqual([a, b])
})

test('a request without URLs needs no fetch', () => {
  expect(hasRemoteImages(asking(image({ url: DATA })))).toBe(false)
  expect(hasRemoteImages({ messages: [{ content: 'text' }, null, 7] })).toBe(false)
  expect(hasRemoteImages({ messages: 'none' })).toBe(false)
  expect(hasRemoteImages(asking(image('https://pictures.test/a')))).toBe(true)
})

test('an image that cannot be fetched is named by its place', async () => {
  const given = asking('first', image({ url: 'https://pictures.test/a' }))
  const param = 'messages.0.content.1.image_url'
  const refused = inlineImages(given, () => Promise.reject(new FetchRefused('it is away')))
  await expect(refused).rejects.toMatchObject({
    param,
    message: expect.stringContaining('it is away'),
  })
  const page = inlineImages(given, async () => ({ bytes: PNG.bytes, type: 'text/html' }))
  await expect(page).rejects.toMatchObject({
    param,
    message: expect.stringContaining('not an image but text/html'),
  })
})

test('the number of images per request is limited', async () => {
  const many = Array.from({ length: 33 }, (_, index) => image(`https://pictures.test/${index}`))
  await expect(inlineImages(asking(...many), async () => PNG)).rejects.toMatchObject({
    param: 'messages.0.content.32.image_url',
  })
})

test('and so is their total size, also with concurrent fetches', async () => {
  const bytes = Buffer.alloc(9 * 1024 * 1024)
  let fetched = 0
  const fetchGuarded: GuardedFetch = async () => {
    fetched += 1
    return { bytes, type: 'image/png' }
  }
  const images = Array.from({ length: 20 }, (_, at) => image(`https://pictures.test/${at}`))
  await expect(inlineImages(asking(...images), fetchGuarded)).rejects.toThrow(/bytes in total/)
  expect(fetched).toBe(4)
})
