import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { optionEndpoints } from '@tollgate/contract'
import { portOf } from '../server/testing/harness/port-of.ts'
import { openOneWorld, sessionOf } from './one-world.ts'

const CALLS_MAX = 40

const world = openOneWorld()
const session = sessionOf(world)

/** A page on another site that loads more images from the gateway than one address may request. */
async function openHostilePage() {
  const images = Array.from(
    { length: 2 * CALLS_MAX },
    (_, at) => `<img src="${world.server.url}/api/status?at=${at}">`,
  )
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(images.join(''))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://localhost:${portOf(server)}/`, close: () => server.close() }
}

test('a page of another site cannot lock an operator out of the console', async () => {
  await world.asRoot(optionEndpoints.updateOption, {
    body: { key: 'GlobalApiRateLimit', value: String(CALLS_MAX) },
  })
  const hostile = await openHostilePage()
  try {
    const page = await world.open({ session })
    await page.goto(hostile.url, { waitUntil: 'load' })
    // The images have used up the limit for cross-site requests.
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect((await fetch(`${world.server.url}/api/status`, { headers })).status).toBe(429)
    const statuses: number[] = []
    page.on('response', (response) => statuses.push(response.status()))
    await page.goto(`${world.server.url}/channel`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(statuses).not.toContain(429)
  } finally {
    hostile.close()
    await world.asRoot(optionEndpoints.updateOption, {
      body: { key: 'GlobalApiRateLimit', value: '0' },
    })
  }
})
