import { expect, test } from 'vitest'
import { isSameVersion, readLatestRelease } from './latest-release.ts'

const answering =
  (body: string, status = 200) =>
  () =>
    Promise.resolve(new Response(body, { status, statusText: status === 200 ? 'OK' : 'Not Found' }))

test('the tag and the text of a release are read, whatever its other members', async () => {
  const body = JSON.stringify({ tag_name: 'v1.2.0', body: '# New', assets: [] })
  await expect(readLatestRelease('https://a.example', answering(body))).resolves.toEqual({
    tag: 'v1.2.0',
    text: '# New',
  })
  const silent = JSON.stringify({ tag_name: '1', body: null })
  await expect(readLatestRelease('https://a.example', answering(silent))).resolves.toEqual({
    tag: '1',
    text: '',
  })
})

test('any other answer is an error', async () => {
  for (const body of ['<html>', '{}', '{"tag_name": ""}', 'null']) {
    await expect(readLatestRelease('https://a.example', answering(body))).rejects.toThrow()
  }
  await expect(readLatestRelease('https://a.example', answering('{}', 404))).rejects.toThrow(
    '404 Not Found',
  )
})

test('versions are equal with and without the leading letter', () => {
  expect(isSameVersion('v0.1.0', '0.1.0')).toBe(true)
  expect(isSameVersion('v0.1.1', '0.1.0')).toBe(false)
  expect(isSameVersion('vNext', 'Next')).toBe(false)
})
