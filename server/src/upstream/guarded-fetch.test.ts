import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { expect, test } from 'vitest'
import { leadsInTurn, leadsTo } from '../../testing/fakes/dns-lookups.ts'
import { atEnd } from '../../testing/harness/at-end.ts'
import { portOf } from '../../testing/harness/port-of.ts'
import { createGuardedFetch } from './guarded-fetch.ts'

const PNG = Buffer.from('89504e470d0a1a0a', 'hex')
const LOOPBACK = { privateNetworks: ['127.0.0.0/8'] }

/** Starts a server on the loopback address and returns its port. */
async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return portOf(server)
}

const servePng = () =>
  serve((_request, response) => response.writeHead(200, { 'content-type': 'image/png' }).end(PNG))

test('fetches a file with its type', async () => {
  const port = await servePng()
  const fetchGuarded = createGuardedFetch(LOOPBACK)
  expect(await fetchGuarded(`http://127.0.0.1:${port}/a.png`)).toEqual({
    bytes: PNG,
    type: 'image/png',
  })
  const byName = createGuardedFetch({ ...LOOPBACK, lookup: leadsTo('127.0.0.1') })
  expect((await byName(`http://pictures.test:${port}/a.png`)).bytes).toEqual(PNG)
})

test.each(['http://127.1/', 'http://169.254.169.254/latest/meta-data/', 'http://[fd00::1]/'])(
  '%s leads into no private network',
  async (url) => {
    await expect(createGuardedFetch()(url)).rejects.toThrow('its address is not a public one')
  },
)

test('a name may resolve to no private address, not even among others', async () => {
  const fetchGuarded = createGuardedFetch({ lookup: leadsTo('93.184.216.34', '10.0.0.1') })
  await expect(fetchGuarded('http://inside.test/')).rejects.toThrow('not a public one')
})

test('a redirect is checked like the first address', async () => {
  const inside = await serve((_request, response) => response.end('secret'))
  const location = `http://127.0.0.2:${inside}/`
  const port = await serve((_request, response) => response.writeHead(302, { location }).end())
  const fetchGuarded = createGuardedFetch({ privateNetworks: ['127.0.0.1'] })
  await expect(fetchGuarded(`http://127.0.0.1:${port}/`)).rejects.toThrow('not a public one')
})

test('the address that was checked is connected to', async () => {
  const port = await servePng()
  const { lookup, asked } = leadsInTurn(['127.0.0.1'], ['10.0.0.1'])
  const fetchGuarded = createGuardedFetch({ ...LOOPBACK, lookup })
  expect((await fetchGuarded(`http://changing.test:${port}/`)).bytes).toEqual(PNG)
  expect(asked).toHaveLength(1)
})

test('redirects are followed a limited number of times', async () => {
  const image = await servePng()
  const location = `http://127.0.0.1:${image}/`
  const once = await serve((_request, response) => response.writeHead(301, { location }).end())
  const fetchGuarded = createGuardedFetch(LOOPBACK)
  expect((await fetchGuarded(`http://127.0.0.1:${once}/`)).bytes).toEqual(PNG)
  const circle = await serve((_request, response) =>
    response.writeHead(307, { location: '/' }).end(),
  )
  await expect(fetchGuarded(`http://127.0.0.1:${circle}/`)).rejects.toThrow('redirects too often')
})

test('reports what went wrong', async () => {
  const fetchGuarded = createGuardedFetch({ ...LOOPBACK, bytesMax: 1000, fetchMs: 300 })
  const missing = await serve((_request, response) => response.writeHead(404).end())
  const large = await serve((_request, response) => response.end(Buffer.alloc(5000)))
  const silent = await serve(() => {})
  const failures = [
    ['file:///etc/passwd', 'must begin with http'],
    ['gopher://127.0.0.1/', 'must begin with http'],
    ['no address', 'must begin with http'],
    ['http://user:password@127.0.0.1/', 'user name'],
    [`http://127.0.0.1:${missing}/`, 'status 404'],
    [`http://127.0.0.1:${large}/`, 'more than 1000 bytes'],
    [`http://127.0.0.1:${silent}/`, 'too long'],
    ['http://127.0.0.1:1/', 'could not be reached'],
  ] as const
  for (const [url, reason] of failures) {
    await expect(fetchGuarded(url), url).rejects.toThrow(reason)
  }
})
