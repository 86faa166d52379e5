import { build } from 'esbuild'
import type { Frame, Page } from 'playwright-core'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { channelEndpoints, selfEndpoints, tokenEndpoints } from '@tollgate/contract'
import {
  answersAll,
  type RealtimeUpstream,
  startRealtimeUpstream,
} from '../server/testing/fakes/realtime-upstream.ts'
import {
  answerAsAsked,
  answerJson,
  type Behaviour,
  chatAnswer,
} from '../server/testing/fakes/scripted-upstream.ts'
import {
  type AttackPage,
  ATTACKS,
  FORMS_OF_TEXT,
  FORMS_WITH_RECORDING,
  formWithRecording,
  RECORDING,
} from './hostile-attacks.ts'
import {
  type Gate,
  type HostileSite,
  openGate,
  openHostileSite,
  scriptTellingAll,
} from './hostile-site.ts'
import { ROOT_PASSWORD } from './installation.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { signIn } from './steps.ts'
import { TEXTS } from './texts.ts'

const CALLS_MAX = 40

let key: string
let site: HostileSite
let realtime: RealtimeUpstream

const world = openOneWorld(async () => {
  site = await openHostileSite()
  realtime = await startRealtimeUpstream()
  realtime.script('p0', answersAll())
  await world.addChannel('pages', 'page-chat,whisper-1', hostileProvider)
  await world.addChannel('good', 'gpt-4o', answerAsAsked)
  const channel = { type: 8, name: 'realtime', key: 'sk-upstream', models: 'gpt-realtime' }
  const base_url = realtime.baseUrl('p0')
  await world.asRoot(channelEndpoints.createChannels, { body: { ...channel, base_url } })
  const body = { name: 'a customer', unlimited_quota: true }
  const { data } = await world.asRoot(tokenEndpoints.createToken, { body })
  key = `sk-${data.key}`
})
const session = sessionOf(world)

/** Every answer is an HTML page with a script. */
const hostileProvider: Behaviour = (response, request) => {
  const headers = { 'content-type': 'text/html; charset=utf-8' }
  const words = `hello ${scriptTellingAll(site)}`
  if (!request.path.endsWith('/chat/completions')) {
    return void response.writeHead(200, headers).end(words)
  }
  return answerJson(chatAnswer(words), { headers })(response, request)
}

afterEach(async () => {
  await Promise.all([...gates].map((gate) => gate.close()))
  gates.clear()
  site.leaks.length = 0
})
afterAll(async () => {
  await site.close()
  await realtime.close()
})

/** A page in a browser in which root is logged in to the console. */
const open = () => world.open({ session })

/** Also checks that root's access token is still the same. */
async function expectNothingLeaked() {
  expect(site.leaks).toEqual([])
  expect((await world.asRoot(selfEndpoints.getSelf, {})).data.username).toBe('root')
}

const gates = new Set<Gate>()

async function openOurGate(changes: Parameters<typeof openGate>[1] = {}): Promise<Gate> {
  const gate = await openGate(world.server.url, changes)
  gates.add(gate)
  return gate
}

/**
 * Shows the attack page and starts the attack; resolves when the relay has answered and the network
 * is idle.
 */
async function attack(gate: Gate, pageFor: AttackPage) {
  const page = await open()
  await page.goto(site.show(pageFor({ url: gate.url, key })))
  await page.getByRole('button', { name: 'Go' }).click()
  await expect.poll(() => gate.statuses.size).toBeGreaterThan(0)
  for (const shown of page.context().pages()) await shown.waitForLoadState('networkidle')
  return page
}

/** The only frame in this browser that shows a document of the gate. */
async function hostileFrame(page: Page, gate: Gate): Promise<Frame> {
  const frames = () =>
    page
      .context()
      .pages()
      .flatMap((shown) => shown.frames())
      .filter((frame) => frame.url().startsWith(gate.url))
  await expect.poll(() => frames().length).toBe(1)
  const [frame] = frames()
  if (frame === undefined) throw new Error('it is gone')
  await frame.waitForLoadState('networkidle')
  return frame
}

const askedProviders = () => world.upstream.requestsOf('pages').length

describe('a page of another site, in the browser of a logged-in user,', () => {
  test.each(ATTACKS)('achieves nothing by %s', async (_name, pageFor) => {
    const gate = await openOurGate()
    const asked = askedProviders()
    await attack(gate, pageFor)
    expect(gate.statuses).toEqual(new Set([403]))
    expect(askedProviders()).toBe(asked)
    await expectNothingLeaked()
  })

  test('achieves nothing by a script that needs no preflight', async () => {
    const gate = await openOurGate()
    const page = await open()
    await page.goto(site.show(''))
    const asked = askedProviders()
    await page.evaluate(`(async () => {
      const body = '{"model":"page-chat","messages":[{"role":"user","content":"hi"}]}'
      for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
        const blob = new Blob([body], { type })
        await fetch('${gate.url}/v1/chat/completions?key=${key}', { method: 'POST', mode: 'no-cors', body: blob })
        navigator.sendBeacon('${gate.url}/v1/chat/completions?key=${key}', blob)
      }
      await new Promise((resolve) => {
        const worker = new Worker(URL.createObjectURL(new Blob(["importScripts('${gate.url}/v1/models?key=${key}')"])))
        worker.onerror = resolve
      })
    })()`)
    await page.waitForLoadState('networkidle')
    expect(gate.statuses).toEqual(new Set([415, 403]))
    expect(askedProviders()).toBe(asked)
    await expectNothingLeaked()
  })
})

describe('in a browser without Fetch Metadata', () => {
  test.each(FORMS_OF_TEXT)('nothing is read from %s', async (_name, pageFor) => {
    const gate = await openOurGate({ isOldBrowser: true })
    await attack(gate, pageFor)
    expect(gate.statuses).toEqual(new Set([415]))
    await expectNothingLeaked()
  })

  test.each(FORMS_WITH_RECORDING)(
    'a transcript is plain text, and runs nothing if it is HTML all the same, by %s',
    async (_name, pageFor) => {
      const frameOf = async (gate: Gate) => {
        const frame = await hostileFrame(await attack(gate, pageFor), gate)
        expect(gate.statuses).toEqual(new Set([200]))
        return frame
      }
      const plain = await frameOf(await openOurGate({ isOldBrowser: true }))
      expect(await plain.locator('body').textContent()).toContain('<script>document.title')
      const frame = await frameOf(await openOurGate({ isOldBrowser: true, type: 'text/html' }))
      // The script is in the page, but the page has no origin.
      expect(await frame.locator('script').count()).toBe(1)
      expect(await frame.evaluate('window.origin')).toBe('null')
      expect(await frame.title()).not.toBe('ran')
      await expectNothingLeaked()
    },
  )
})

describe('a client in the browser, on another origin,', () => {
  const onItsPage = async (): Promise<Page> => {
    const page = await open()
    await page.goto(site.show(''))
    return page
  }
  const ASK = `
    const ask = (path, body, headers) => fetch('URL' + path, {
      method: 'POST', body, headers: { authorization: 'Bearer KEY', ...headers } })
    const json = { 'content-type': 'application/json' }
    const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }
  `
  const run = async <T>(page: Page, code: string) =>
    page.evaluate<T>(
      `(async () => { ${ASK.replace('URL', world.server.url).replace('KEY', key)} ${code} })()`,
    )

  test('sends requests, reads their ids, and reads errors', async () => {
    const answer = await run(
      await onItsPage(),
      `const answer = await ask('/v1/chat/completions', JSON.stringify(chat), json)
       const refused = await ask('/v1/chat/completions', '{', json)
       const models = await fetch('${world.server.url}/v1/models', { headers: { authorization: 'Bearer ${key}' } })
       return { text: (await answer.json()).choices[0].message.content, id: answer.headers.get('x-request-id'),
         refused: refused.status, message: (await refused.json()).error.message, models: (await models.json()).object }`,
    )
    expect(answer).toEqual({
      text: 'Hello there',
      id: expect.stringMatching(/^\d+$/),
      refused: 400,
      message: expect.stringContaining('request id'),
      models: 'list',
    })
  })

  test('reads a stream piece by piece', async () => {
    const text = await run<string>(
      await onItsPage(),
      `const answer = await ask('/v1/chat/completions', JSON.stringify({ ...chat, stream: true }), json)
       const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
       let text = ''
       for (;;) { const { done, value } = await reader.read(); if (done) return text; text += value }`,
    )
    expect(text).toContain('"content":"Hello"')
    expect(text).toContain('data: [DONE]')
  })

  test('sends a recording and receives its text, which is not rendered', async () => {
    const [type, text] = await run<string[]>(
      await onItsPage(),
      `${RECORDING}
       const form = new FormData()
       form.append('model', 'whisper-1')
       form.append('response_format', 'text')
       form.append('file', wav)
       const answer = await ask('/v1/audio/transcriptions', form, {})
       return [answer.headers.get('content-type'), await answer.text()]`,
    )
    expect(type).toBe('text/plain; charset=utf-8')
    expect(text).toContain('hello <script>')
    expect(site.leaks).toEqual([])
  })

  test("may be OpenAI's official client", async () => {
    const page = await onItsPage()
    const { outputFiles } = await build({
      stdin: {
        contents: 'import OpenAI from "openai"; globalThis.OpenAI = OpenAI',
        resolveDir: import.meta.dirname,
      },
      bundle: true,
      write: false,
      format: 'iife',
      platform: 'browser',
      logLevel: 'silent',
    })
    await page.addScriptTag({ content: outputFiles[0]?.text ?? '' })
    const said = await run(
      page,
      `const client = new OpenAI({ apiKey: '${key}', baseURL: '${world.server.url}/v1', dangerouslyAllowBrowser: true, maxRetries: 0 })
       const whole = await client.chat.completions.create(chat)
       let text = ''
       for await (const piece of await client.chat.completions.create({ ...chat, stream: true })) {
         text += piece.choices[0]?.delta.content ?? ''
       }
       const wrong = new OpenAI({ ...client, apiKey: 'sk-no', baseURL: client.baseURL, dangerouslyAllowBrowser: true, maxRetries: 0 })
       const refused = await wrong.models.list().catch((error) => error.status)
       return [whole.choices[0].message.content, text, refused]`,
    )
    expect(said).toEqual(['Hello there', 'Hello there', 401])
  })

  test('opens a Realtime session', async () => {
    const type = await run(
      await onItsPage(),
      `const url = '${world.server.url.replace('http', 'ws')}/v1/realtime?model=gpt-realtime'
       const socket = new WebSocket(url, ['realtime', 'openai-insecure-api-key.${key}'])
       return new Promise((resolve) => {
         socket.onmessage = ({ data }) => (resolve(JSON.parse(data).type), socket.close())
         socket.onerror = () => resolve('refused')
       })`,
    )
    expect(type).toBe('session.created')
  })
})

test('a console with its own host is served there only, and the relay is not', async () => {
  const { port } = new URL(world.server.url)
  const gate = `http://gate.localhost:${port}`
  const own = `http://console.localhost:${port}`
  await world.setOption('ServerAddress', gate)
  await world.setOption('ConsoleAddress', own)
  try {
    const page = await world.open({ baseURL: own })
    const elsewhere = await page.goto(`${gate}/login`)
    expect(elsewhere?.status()).toBe(404)
    expect(await page.locator('body').textContent()).toContain(`Use ${own}.`)
    await signIn(page, TEXTS.en, { username: 'root', password: ROOT_PASSWORD })
    await page.goto('/')
    await page.getByText(`curl ${gate}/v1/chat/completions`).waitFor()

    await page.goto(site.show(''))
    const statuses = await page.evaluate(`Promise.all(
      ['${gate}', '${own}'].map(async (host) => (await fetch(host + '/v1/models?key=${key}')).status),
    )`)
    expect(statuses).toEqual([200, 404])
  } finally {
    await world.setOption('ConsoleAddress', '')
    await world.setOption('ServerAddress', '')
  }
})

test('a page of another site cannot lock an operator out of the console', async () => {
  await world.setOption('GlobalApiRateLimit', CALLS_MAX)
  try {
    const page = await open()
    const images = Array.from(
      { length: 2 * CALLS_MAX },
      (_, at) => `<img src="${world.server.url}/api/status?at=${at}">`,
    )
    await page.goto(site.show(images.join('')), { waitUntil: 'load' })
    // The images have used up the limit for cross-site requests.
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect((await fetch(`${world.server.url}/api/status`, { headers })).status).toBe(429)
    const statuses: number[] = []
    page.on('response', (response) => statuses.push(response.status()))
    await page.goto(`${world.server.url}/channel`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(statuses).not.toContain(429)
  } finally {
    await world.setOption('GlobalApiRateLimit', 0)
  }
})

// Must run last: it replaces root's access token, which the other tests use.
test('without any of these guards the same page would have succeeded', async () => {
  const gate = await openOurGate({ isOldBrowser: true, isUnguarded: true, type: 'text/html' })
  await attack(gate, formWithRecording('_self'))
  await expect.poll(() => site.leaks.length).toBe(3)
  expect(site.leaks[0]).toBe(`ran in ${gate.url}`)
  expect(site.leaks[1]).toContain('"username":"root"')
  expect(JSON.parse(site.leaks[2] ?? '')).toMatchObject({ success: true })
})
