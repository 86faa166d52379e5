import { rm } from 'node:fs/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import {
  channelEndpoints,
  type Endpoint,
  type EndpointCall,
  optionEndpoints,
} from '@tollgate/contract'
import { type Answer, type CallParts, callWith } from '../console/src/lib/call.ts'
import {
  type Behaviour,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../server/testing/fakes/scripted-upstream.ts'
import { type RunningServer, startServer } from '../server/testing/harness/start-server.ts'
import { Contexts } from './contexts.ts'
import {
  ACCESS_TOKEN,
  BUILT_SERVER,
  FIRST_START,
  newDataFolder,
  setOptions,
} from './installation.ts'
import { watchTraffic } from './traffic.ts'

/**
 * The worlds of a worker follow each other at one address, so that pages serve several of them. The
 * port lies below those that the system assigns by itself.
 */
const PORT = 20_000 + (process.pid % 10_000)

let isPortTaken = false

const ACTION_TIMEOUT_MS = 15_000
const WIDE = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }

export type Session = Awaited<ReturnType<BrowserContext['storageState']>>

export type Look = {
  language?: 'en' | 'zh'
  theme?: 'light' | 'dark'
  /** Storage state of a logged-in browser, from `context.storageState()`. */
  session?: Session
  viewport?: { width: number; height: number }
  /** Replaces the address that the server listens on. */
  baseURL?: string
  /** A phone with touch input. */
  isPhone?: true
  /** Opens the console by host name: browsers have no passkeys for an IP address. */
  byName?: true
}

export type World = {
  server: RunningServer
  /** Contains the database file. */
  folder: string
  upstream: ScriptedUpstream
  open: (look?: Look) => Promise<Page>
  /** Calls the admin API as root, for setup that a test is not about. */
  asRoot: <E extends Endpoint>(
    endpoint: E,
    parts: EndpointCall<E> & CallParts,
  ) => Promise<Answer<E>>
  setOption: (key: string, value: unknown) => Promise<unknown>
  /** Adds a channel at a scripted provider of this name; returns its id. */
  addChannel: (
    name: string,
    models: string,
    answer?: Behaviour,
    parts?: { type?: number; priority?: number; weight?: number; group?: string },
  ) => Promise<number>
  close: () => Promise<void>
}

/** The real server as after its installation, scripted providers, and a browser. */
export async function openWorld(
  browser: Browser,
  variables: Record<string, string> = {},
): Promise<World> {
  const { folder, isCopy } = await newDataFolder(variables)
  const upstream = await startScriptedUpstream()
  const contexts = new Contexts(browser)
  const server = await startAtPort({
    DATA_DIR: folder,
    ...FIRST_START,
    ...variables,
  })

  if (!isCopy) await setOptions(server.url)

  const open = async (look: Look = {}) => {
    const { language = 'en', theme = 'light', session, viewport, isPhone = false } = look
    const byName = server.url.replace('127.0.0.1', 'localhost')
    const { baseURL = look.byName ? byName : server.url } = look
    const options = {
      baseURL,
      locale: language === 'zh' ? 'zh-CN' : 'en-GB',
      colorScheme: theme,
      reducedMotion: 'reduce' as const,
      viewport: viewport ?? (isPhone ? PHONE : WIDE),
      isMobile: isPhone,
      hasTouch: isPhone,
      permissions: ['clipboard-read', 'clipboard-write'],
    }
    const page = await contexts.openPage(options, session && restoreStorage(session.origins))
    const context = page.context()
    context.setDefaultTimeout(ACTION_TIMEOUT_MS)
    if (session) await context.addCookies(session.cookies)
    watchTraffic(page)
    return page
  }

  const asRoot = callerAsRoot(server)
  return {
    server,
    folder,
    upstream,
    open,
    asRoot,
    setOption: (key, value) => {
      const body = { key, value: typeof value === 'string' ? value : JSON.stringify(value) }
      return asRoot(optionEndpoints.updateOption, { body })
    },
    addChannel: async (name, models, answer, parts) => {
      const provider = name.replaceAll(' ', '-')
      if (answer) upstream.script(provider, answer)
      const base_url = upstream.baseUrl(provider)
      const body = { type: 8, name, key: 'sk-upstream', models, base_url, ...parts }
      const { data } = await asRoot(channelEndpoints.createChannels, { body })
      const id = data[0]?.id
      if (id === undefined) throw new Error(`the channel ${name} was not created`)
      return id
    },
    close: async () => {
      await contexts.close()
      await server.stop()
      await upstream.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function callerAsRoot({ url }: RunningServer): World['asRoot'] {
  const fetchAsRoot: typeof fetch = (input, init) => {
    if (typeof input !== 'string') throw new TypeError('the paths of the contract are texts')
    const headers = new Headers(init?.headers)
    headers.set('authorization', ACCESS_TOKEN)
    return fetch(url + input, { ...init, headers })
  }
  return (endpoint, parts) => callWith({ language: 'en', fetch: fetchAsRoot }, endpoint, parts)
}

/** Starts the server at the port of this worker, or at any other if it is in use. */
async function startAtPort(variables: Record<string, string>): Promise<RunningServer> {
  if (isPortTaken) return startServer(variables, BUILT_SERVER)
  isPortTaken = true
  const server = await startServer({ PORT: String(PORT), ...variables }, BUILT_SERVER).catch(
    (error: unknown) => {
      isPortTaken = false
      if (!String(error).includes('is in use')) throw error
      return startServer(variables, BUILT_SERVER)
    },
  )
  const stop: RunningServer['stop'] = async (signal) => {
    const code = await server.stop(signal)
    if (server.url.endsWith(`:${PORT}`)) isPortTaken = false
    return code
  }
  return { ...server, stop }
}

/**
 * Script for each new document. Playwright would restore the storage on a page of its own, which
 * costs as much as the page of the test. The mark keeps a later logout.
 */
const restoreStorage = (origins: Session['origins']) => `{
  const here = ${JSON.stringify(origins)}.find(({ origin }) => origin === globalThis.origin)
  if (here && localStorage.getItem('restored') === null) {
    localStorage.setItem('restored', 'true')
    for (const { name, value } of here.localStorage) localStorage.setItem(name, value)
  }
}`
