import { isAdmin } from '@tollgate/contract/roles'
import { preferredLanguage } from '../i18n/preferred-language.ts'
import type { EarlyAnswer } from '../lib/early-answers.ts'
import { isFramedSite } from '../lib/framed-site.ts'
import { earlyCallsOf } from './early-calls.ts'
import { startMessages } from './messages.ts'

// Runs in the head of the HTML, before the console's code: `tools/console-pages.mjs` bundles it.

/** Like other calls of the console. */
const DEADLINE_MS = 120_000

/** Starts the code of a browser that does not say when it draws. */
const PAINT_MS = 1000

function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    // Without storage the browser's language applies, and nobody is known to be logged in.
    return null
  }
}

const language = preferredLanguage(readStored('language'), navigator.languages)

/** Only chooses what to ask for: the server knows the user by the session. */
function whoIsHere(): Parameters<typeof earlyCallsOf>[1] | null {
  try {
    const user: unknown = JSON.parse(readStored('user') ?? 'null')
    if (typeof user !== 'object' || user === null || !('role' in user)) return null
    if (!isAdmin(Number(user.role))) return 'user'
    return readStored('prompt-first-steps') === 'true' ? 'admin' : 'newcomer'
  } catch {
    return null
  }
}

/** A framed site as the start page needs none of the operator's first steps. */
function isSiteFramed(): boolean {
  try {
    const status: unknown = JSON.parse(readStored('status') ?? 'null')
    if (typeof status !== 'object' || status === null) return false
    return 'home_page_content' in status && isFramedSite(String(status.home_page_content))
  } catch {
    return false
  }
}

/** Asks for what the page is drawn from while the console's code loads. */
function askEarly() {
  const base = document.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? ''
  const { pathname, search } = location
  const path = pathname.slice(base.length)
  const isPlain = search === '' && !(path === '/' && isSiteFramed())
  const who = isPlain ? whoIsHere() : null
  const user = readStored('user')
  const ask = (call: string): EarlyAnswer => {
    const response = fetch(base + call, {
      headers: { 'Accept-Language': language },
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    // The console's code has the failure too.
    response.catch(() => undefined)
    return { path: call, language, user, at: Date.now(), response }
  }
  const calls = who === null ? [] : earlyCallsOf(path, who, Date.now() / 1000)
  globalThis.earlyAnswers = ['/api/status', ...calls].map(ask)
}

/** Without the code, for example because a new build has replaced it. */
function offerReload() {
  const texts = startMessages[language]
  const line = document.createElement('p')
  line.setAttribute('role', 'alert')
  line.textContent = texts.failed
  const button = document.createElement('button')
  button.textContent = texts.reload
  button.onclick = () => location.reload()
  line.append(button)
  document.querySelector('.boot')?.append(line)
}

let started: Promise<unknown> | undefined

const start = () => {
  // The build puts the name of the entry here.
  const entry = './entry.js'
  started ??= import(entry).catch(offerReload)
}

askEarly()
// Lets the browser draw the frame in the HTML before the code keeps it busy. Tabs in the background
// draw nothing, so they start at once.
addEventListener('DOMContentLoaded', () => {
  if (document.hidden) return start()
  new PerformanceObserver(start).observe({ type: 'paint', buffered: true })
  setTimeout(start, PAINT_MS)
})
