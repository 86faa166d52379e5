import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROLE } from '@tollgate/contract'
import {
  type ControlPlane,
  openControlPlane,
  type Person,
} from '../../testing/worlds/control-plane.ts'
import { listUnconfirmed } from '../settings/confirmation.ts'

const GATE = 'https://gate.example'
const CONSOLE = 'https://console.example'

describe('a console at a host of its own', () => {
  let folder: string
  let plane: ControlPlane
  let root: Person

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tollgate-console-host-'))
    await mkdir(join(folder, 'static'))
    await writeFile(join(folder, 'index.html'), '<!doctype html>the page')
    await writeFile(join(folder, 'logo.svg'), '<svg/>')
    await writeFile(join(folder, 'static', 'app.js'), 'run()')
    plane = await openControlPlane('sqlite', { consoleDir: folder })
    root = await plane.addPerson(ROLE.root)
    await plane.setOption('ServerAddress', GATE)
    await plane.setOption('ConsoleAddress', CONSOLE)
  })
  afterAll(async () => {
    await plane.close()
    await rm(folder, { recursive: true, force: true })
  })

  const get = (path: string, host: string, headers: Record<string, string> = {}) =>
    plane.call('GET', path, { as: root, headers: { host, ...headers } })

  test('pages may call the relay at its host', async () => {
    const policy = String((await get('/', 'console.example')).headers['content-security-policy'])
    expect(policy).toContain(`connect-src 'self' ${GATE};`)
    expect(policy).toContain("script-src 'self';")
  })

  const PAGES = ['/', '/token', '/logo.svg', '/static/app.js', '/static/none.js', '/v3']
  const CALLS = [
    '/api/user/self',
    '/api/user/login',
    '/api/notice',
    '/api/openapi.json',
    '/api/docs',
    '/api/nothing',
    '/api',
    '/api/status/x',
  ]

  test.each(['console.example', 'console.example:443', 'localhost:3000', '127.0.0.1'])(
    'is served at %s',
    async (host) => {
      expect((await get('/', host)).text).toBe('<!doctype html>the page')
      expect((await get('/static/app.js', host)).text).toBe('run()')
      expect((await get('/api/user/self', host)).success).toBe(true)
      expect((await get('/api/docs', host)).status).toBe(200)
    },
  )

  test.each(PAGES)('is a short text at every other host: %s', async (path) => {
    for (const host of ['gate.example', 'rebound.evil.example', '192.0.2.7']) {
      const { status, text, headers } = await get(path, host)
      expect([status, headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8'])
      expect(text).toBe(`The console and its API are not available at this host. Use ${CONSOLE}.\n`)
      expect(headers['x-content-type-options']).toBe('nosniff')
    }
  })

  test.each(CALLS)('has no API at other hosts: %s', async (path) => {
    const answer = await get(path, 'gate.example', { 'accept-language': 'zh' })
    expect([answer.status, answer.success]).toEqual([404, false])
    expect(answer.message).toBe(`此主机名不提供控制台及其 API，请访问 ${CONSOLE}。`)
    for (const method of ['POST', 'PUT', 'DELETE'] as const) {
      const headers = { host: 'gate.example' }
      const { status } = await plane.call(method, path, { as: root, headers, body: {} })
      expect(status).toBe(404)
    }
  })

  test('its status is served at every host, and names both addresses', async () => {
    for (const host of ['gate.example', '192.0.2.7', 'console.example', 'localhost']) {
      for (const path of ['/api/status', '/api/status/', '/api/status?x=1']) {
        const { status, data } = await get(path, host)
        expect(status).toBe(200)
        expect(data).toMatchObject({ server_address: GATE, console_address: CONSOLE })
      }
    }
  })

  test('a page of the console may change state behind a proxy that hides its name', async () => {
    const change = (origin: string) =>
      plane.call('PUT', '/api/user/self', {
        as: root,
        headers: { host: 'localhost', origin },
        body: { display_name: 'root' },
      })
    expect((await change(CONSOLE)).success).toBe(true)
    // A page on the relay's host counts as another site.
    expect((await change(GATE)).status).toBe(403)
    expect((await change('https://evil.example')).status).toBe(403)
  })

  test.each(['https://other.example', ''])(
    'stays at its host until root confirms the address "%s" of an administrator',
    async (address) => {
      const adam = await plane.addPerson(ROLE.admin)
      const isServedAt = async (host: string) => (await get('/api/user/self', host)).success
      const places = async () => [
        await isServedAt('console.example'),
        await isServedAt('other.example'),
        Object((await get('/api/status', 'gate.example')).data).console_address,
      ]
      const body = { key: 'ConsoleAddress', value: address }
      const headers = { host: 'console.example' }
      await plane.done('PUT', '/api/option/', { as: adam, headers, body })
      expect(await places()).toEqual([true, false, CONSOLE])
      const edited = await get('/api/option/', 'console.example')
      expect(edited.data).toContainEqual({ key: 'ConsoleAddress', value: address })

      const ids = (await listUnconfirmed(plane.database.kysely)).map(({ id }) => id)
      await plane.done('POST', '/api/option/confirm', { as: root, headers, body: { ids } })
      expect(await places()).toEqual([address === '', true, address])
      await plane.setOption('ConsoleAddress', CONSOLE)
    },
  )

  test('is served everywhere again once the address is empty', async () => {
    await plane.setOption('ConsoleAddress', '')
    expect((await get('/', 'gate.example')).text).toBe('<!doctype html>the page')
    expect((await get('/api/user/self', 'gate.example')).success).toBe(true)
    expect((await get('/api/status', 'gate.example')).data).toMatchObject({ console_address: '' })
    await plane.setOption('ConsoleAddress', CONSOLE)
  })
})
