import { once } from 'node:events'
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ControlPlane, openControlPlane } from '../../testing/worlds/control-plane.ts'

let folder: string
let plane: ControlPlane
const opened: ControlPlane[] = []

const open = async (given: Parameters<typeof openControlPlane>[1] = {}) => {
  const one = await openControlPlane('sqlite', { consoleDir: join(folder, 'dist'), ...given })
  opened.push(one)
  return one
}

const writePage = (text: string) => writeFile(join(folder, 'dist', 'index.html'), text)

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-console-'))
  await mkdir(join(folder, 'dist', 'static', 'js'), { recursive: true })
  await writePage('<!doctype html>the page')
  await writeFile(join(folder, 'dist', 'logo.svg'), '<svg/>')
  await writeFile(join(folder, 'dist', 'static', 'js', 'app-1a2b.js'), 'run()')
  await writeFile(join(folder, 'secret'), 'outside')
  plane = await open()
})

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
  await rm(folder, { recursive: true, force: true })
})

test.each([
  ['a file with a hash in its name', '/static/js/app-1a2b.js', /javascript/, 604_800, 'run()'],
  ['another file', '/logo.svg', /svg/, 3600, '<svg/>'],
])('%s is kept by browsers as long as it lasts', async (_, path, type, seconds, content) => {
  const { status, text, headers } = await plane.call('GET', path)
  expect([status, text]).toEqual([200, content])
  expect(headers['content-type']).toMatch(type)
  const isFinal = path.startsWith('/static') ? ', immutable' : ''
  expect(headers['cache-control']).toBe(`public, max-age=${seconds}${isFinal}`)
})

test('every other path is the page, which browsers revalidate', async () => {
  for (const path of ['/', '/token', '/user/edit/5', '/oauth/github?code=x']) {
    const { status, text, headers } = await plane.call('GET', path)
    expect([status, text]).toEqual([200, '<!doctype html>the page'])
    expect(headers['cache-control']).toBe('no-cache')
    expect(headers['content-type']).toContain('text/html')
  }
  expect((await plane.call('GET', '/%zz-no')).status).toBe(404)
})

test('the page is sent again only after it has changed', async () => {
  const first = await plane.call('GET', '/log')
  const headers = { 'if-none-match': String(first.headers['etag']) }
  const same = await plane.call('GET', '/log', { headers })
  expect([same.status, same.text]).toEqual([304, ''])
  await writePage('<!doctype html>the next build')
  await writeFile(join(folder, 'dist', 'new.svg'), '<svg id="new"/>')
  const hourAhead = Date.now() / 1000 + 3600
  await utimes(join(folder, 'dist', 'index.html'), hourAhead, hourAhead)
  const next = await plane.call('GET', '/log', { headers })
  expect([next.status, next.text]).toEqual([200, '<!doctype html>the next build'])
  expect((await plane.call('GET', '/new.svg')).text).toBe('<svg id="new"/>')
})

test('a build that is being replaced stays in use', async () => {
  await plane.call('GET', '/log')
  await rm(join(folder, 'dist', 'index.html'))
  expect((await plane.call('GET', '/log')).text).toBe('<!doctype html>the page')
})

test('paths of health checks and metrics are not the page', async () => {
  const names = ['health', 'ready', 'readiness', 'liveness', 'metrics', 'ping', 'status']
  const misspelt = ['live', 'HEALTHZ', 'Ready', '/healthz', 'healthcheck', 'startupz', 'up']
  const below = ['_health', 'actuator/health', 'health/live', 'healthz/x', 'readyz/', 'metrics?a=b']
  for (const path of [...names, ...misspelt, ...below]) {
    const { status, headers } = await plane.call('GET', `/${path}`)
    expect([path, status]).toEqual([path, 404])
    expect(headers['content-type']).toContain('json')
  }
  for (const path of ['/healthiest', '/log/status', '/pricing', '/cheap']) {
    expect((await plane.call('GET', path)).text).toContain('the page')
  }
})

test('a missing file is 404, and not cached', async () => {
  const { status, headers } = await plane.call('GET', '/static/js/app-0000.js')
  expect(status).toBe(404)
  expect(headers['cache-control']).toBe('no-cache')
})

test('nothing outside the folder is served', async () => {
  const plain = ['/static/../../secret', '/../secret', '/static/']
  const encoded = ['/static/%2e%2e/%2e%2e/secret', '/%2e%2e/secret', '/static/..%2f..%2fsecret']
  for (const path of [...plain, ...encoded, '/static/js/%00']) {
    const { status, text, headers } = await plane.call('GET', path)
    expect(text, path).not.toContain('outside')
    expect([200, 404], path).toContain(status)
    expect(headers['cache-control'], path).toBe('no-cache')
  }
})

test('a path with .., as no browser sends it, is 404 and not cached', async () => {
  const { hostname, port } = new URL(await plane.listen())
  const asked = request({ hostname, port, path: '/static/../../secret' }).end()
  const [answer] = await once(asked, 'response')
  expect([answer.statusCode, answer.headers['cache-control']]).toEqual([404, 'no-cache'])
  expect(await readText(answer)).not.toContain('outside')
})

test('other methods get no page', async () => {
  expect((await plane.call('POST', '/token', { body: {} })).status).toBe(404)
})

test('without a built console the page says what is missing', async () => {
  const bare = await open({ consoleDir: join(folder, 'none') })
  const { status, text, headers } = await bare.call('GET', '/token')
  expect(status).toBe(200)
  expect(headers['content-type']).toContain('text/plain')
  expect(text).toContain('console has not been built')
})

const PAGES = [
  { path: '/login', visitors: 'always', files: ['static/js/login.js'] },
  { path: '/log', visitors: 'never', files: ['static/js/log.js', 'static/assets/log.css'] },
  { path: '/user/:id', visitors: 'never', files: ['static/js/user.js'] },
  { path: '/user/add', visitors: 'never', files: ['static/js/add.js'] },
  { path: '/catalog', visitors: 'public_catalog', files: ['static/js/catalog.js'] },
]

describe('the page names the files of what was asked for', () => {
  const SESSION = `session=${'s'.repeat(43)}`

  async function openNamed(env: { BASE_PATH?: string } = {}, list = JSON.stringify(PAGES)) {
    await mkdir(join(folder, 'dist', '.vite'))
    await writeFile(join(folder, 'dist', '.vite', 'pages.json'), list)
    await writePage('<html><head></head></html>')
    return open({ env })
  }

  test.each([
    ['/log', SESSION, ['/static/js/log.js', '/static/assets/log.css']],
    ['/LOG/?type=2', SESSION, ['/static/js/log.js', '/static/assets/log.css']],
    ['/user/5', SESSION, ['/static/js/user.js']],
    ['/user/add', SESSION, ['/static/js/add.js']],
    ['/nowhere', SESSION, []],
    // Visitors are sent to the login, and load nothing that they may not see.
    ['/log', '', ['/static/js/login.js']],
    ['/log', 'session=short', ['/static/js/login.js']],
    ['/login', '', ['/static/js/login.js']],
    ['/nowhere', '', []],
  ])('%s with the cookie "%s"', async (path, cookie, files) => {
    const { text } = await (await openNamed()).call('GET', path, { headers: { cookie } })
    const link = /<link rel="(?:modulepreload|preload" as="style)" [^>]*href="([^"]*)" \/>/g
    expect([...text.matchAll(link)].map(([, href]) => href)).toEqual(files)
  })

  test.each(['{', JSON.stringify([{ path: '/log', visitors: 'never', scripts: [] }])])(
    'a list of another build is ignored: %s',
    async (list) => {
      const named = await openNamed({}, list)
      const { status, text } = await named.call('GET', '/log', { headers: { cookie: SESSION } })
      expect(status).toBe(200)
      expect(text).not.toContain('<link')
    },
  )

  test('visitors load a public page while its switch is on', async () => {
    const named = await openNamed()
    const linked = async () => (await named.call('GET', '/catalog')).text.match(/js\/\w+/g)
    await named.setOption('PublicCatalogEnabled', 'false')
    expect(await linked()).toEqual(['js/login'])
    await named.setOption('PublicCatalogEnabled', 'true')
    expect(await linked()).toEqual(['js/catalog'])
  })

  test('under a base path', async () => {
    const named = await openNamed({ BASE_PATH: '/gate' })
    expect((await named.call('GET', '/login')).text).toContain('href="/gate/static/js/login.js"')
  })
})

test('the page shows the name and the logo of the operator', async () => {
  const page = '<head><title>Tollgate</title></head><img src="/logo.svg" /><span>Tollgate</span>'
  await writePage(page)
  const branded = await open({ env: { BASE_PATH: '/gate' } })
  const plain = await branded.call('GET', '/log')
  expect(plain.text).toContain('<title>Tollgate</title>')
  expect(plain.text).toContain('<img src="/gate/logo.svg" />')
  await branded.setOption('SystemName', 'A "$&" <b>')
  await branded.setOption('Logo', 'https://cdn.example/a.png')
  const { text } = await branded.call('GET', '/log')
  const name = 'A &quot;$&amp;&quot; &lt;b&gt;'
  for (const part of [
    `<title>${name}</title>`,
    `<span>${name}</span>`,
    '<img src="https://cdn.example/a.png" />',
    `<meta name="site-name" content="${name}" />`,
    '<meta name="site-logo" content="https://cdn.example/a.png" />',
  ]) {
    expect(text).toContain(part)
  }
})

test('under a base path, the page names its files and cookies as the browser sees them', async () => {
  await writePage(
    '<head><script src="/static/js/app-1a2b.js"></script><link href="/logo.svg" /></head>',
  )
  const prefixed = await open({ env: { BASE_PATH: '/gate' } })
  for (const path of ['/', '/token/edit/5', '/index.html']) {
    const { text } = await prefixed.call('GET', path)
    expect(text).toContain('<meta name="base-path" content="/gate" />')
    expect(text).toContain('src="/gate/static/js/app-1a2b.js"')
    expect(text).toContain('href="/gate/logo.svg"')
  }
  const document = await prefixed.call('GET', '/api/openapi.json')
  expect(document.text).toContain('"servers":[{"url":"/gate/"}]')
  expect((await prefixed.call('GET', '/api/docs')).text).toContain('href="/gate/api/openapi.json"')
})
