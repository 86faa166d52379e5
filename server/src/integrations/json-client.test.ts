import { describe, expect, test } from 'vitest'
import { leadsInTurn, leadsTo } from '../../testing/fakes/dns-lookups.ts'
import { openHttpsServer } from '../../testing/fakes/https-server.ts'
import { atEnd } from '../../testing/harness/at-end.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { createOutgoing, type OutgoingDeps } from '../network/outgoing.ts'
import { type JsonClient, JsonClientError, createJsonClient } from './json-client.ts'

const METADATA = '169.254.169.254'

const server = openPerTest(() => openHttpsServer({ '/a': { body: { ok: true } } }))

function open(deps: OutgoingDeps = {}): JsonClient {
  const { ask, close } = createJsonClient({ deadlineMs: 3000, outgoing: createOutgoing(deps) })
  atEnd(close)
  return ask
}

async function refusalOf(ask: JsonClient, url: string) {
  const error: unknown = await ask({ method: 'GET', url }).catch((thrown: unknown) => thrown)
  if (error instanceof JsonClientError) return error
  throw new Error(`${url} was asked`)
}

describe('an external server', () => {
  test.each(['https://2852039166/', 'https://metadata.google.internal/'])(
    'is not called at %s',
    async (url) => {
      const { reason } = await refusalOf(open(), url)
      expect(reason.en).toMatch(/^it is at a link-local, cloud metadata or unspecified address/)
      expect(reason.zh).toMatch(/^对方位于链路本地/)
    },
  )

  test('is called at the address that was checked, for every call', async () => {
    const { lookup, asked } = leadsInTurn(['127.0.0.1'], [METADATA])
    const ask = open({ lookup })
    // The test certificate is for this name.
    const url = `${server.url.replace('127.0.0.1', 'localhost')}/a`
    expect(await ask({ method: 'GET', url })).toEqual({ status: 200, json: { ok: true } })
    expect((await refusalOf(ask, url)).message).toContain('link-local')
    expect(asked).toEqual(['localhost', 'localhost'])
    expect(server.requests).toHaveLength(1)
  })

  test('is not called in a private network while that is forbidden, from one call to the next', async () => {
    const option = { allowsPrivate: true }
    const ask = open({ allowsPrivate: () => option.allowsPrivate })
    const url = `${server.url}/a`
    expect((await ask({ method: 'GET', url })).status).toBe(200)
    option.allowsPrivate = false
    const { reason } = await refusalOf(ask, url)
    expect(reason.en).toContain('ChannelPrivateNetworksEnabled forbids')
    expect(reason.zh).toContain('ChannelPrivateNetworksEnabled')
    const named = open({ lookup: leadsTo('10.0.0.1'), allowsPrivate: () => false })
    expect((await refusalOf(named, 'https://a.test/')).reason).toEqual(reason)
    const listed = open({ allowsPrivate: () => false, privateNetworks: ['127.0.0.0/8'] })
    expect((await listed({ method: 'GET', url })).status).toBe(200)
  })
})

test('an error needs no JSON, and keeps its Retry-After', async () => {
  server.route('/a', { status: 503, headers: { 'retry-after': '9' }, body: 'no <json>' })
  const answer = await open()({ method: 'GET', url: `${server.url}/a` })
  expect(answer).toEqual({ status: 503, json: null, retryAfter: '9' })
})

test('a redirect is not followed', async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    server.route('/a', { status, headers: { location: `${server.url}/b` }, body: {} })
    expect((await open()({ method: 'GET', url: `${server.url}/a` })).status).toBe(status)
  }
  expect(server.requestsTo('/b')).toEqual([])
})

test('an invalid JSON answer is not quoted', async () => {
  server.route('/a', { body: 'plantedSecret' })
  const error = await refusalOf(open(), `${server.url}/a`)
  expect(error.message).toBe('the answer is not JSON')
  expect(JSON.stringify([error, error.cause, error.stack])).not.toContain('planted')
})
