import { basePath } from '../base-path.ts'

export type Location = {
  /** Without the path under which the console is served. */
  pathname: string
  search: string
  hash: string
  /** Differs for each entry of the browser's history. */
  key: string
  state: unknown
}

export type NavigateOptions = { replace?: boolean; state?: unknown }

/** Whether the reader may leave for `next`; a promise while they are being asked. */
export type LeaveGuard = (next: Location) => true | Promise<boolean>

/** `index` counts the entries, so that a step back can be undone. */
type Entry = { location: Location; index: number }

let current: Entry = {
  location: { pathname: '/', search: '', hash: '', key: '', state: null },
  index: 0,
}
/** Whether the reader came here by the browser's back or forward button. */
let isReturn = true
let guard: LeaveGuard | null = null
/** Set while the router undoes or repeats a step; the reader did not ask for that step. */
let onOwnStep: (() => void) | null = null
const listeners = new Set<() => void>()

type Address = Pick<URL, 'pathname' | 'search' | 'hash'>

function locationOf({ pathname, search, hash }: Address, stored: unknown): Location {
  const { key, state = null } = entryIn(stored)
  const path = pathname.startsWith(basePath) ? pathname.slice(basePath.length) || '/' : pathname
  return { pathname: path, search, hash, key: typeof key === 'string' ? key : '', state }
}

function entryIn(stored: unknown): { key?: unknown; state?: unknown; index?: unknown } {
  return typeof stored === 'object' && stored !== null ? stored : {}
}

function indexOf(stored: unknown): number {
  const { index } = entryIn(stored)
  return typeof index === 'number' ? index : 0
}

const newKey = () => Math.random().toString(36).slice(2, 10)

export const currentLocation = () => current.location

export const isBackOrForward = () => isReturn

export function onLocation(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function show(entry: Entry, byButton: boolean) {
  current = entry
  isReturn = byButton
  for (const listener of listeners) listener()
}

/** The address of a path, for links and the browser's history. */
export const hrefOf = (to: string) => basePath + to

/** Runs before each navigation until the returned function is called. */
export function guardLeaving(next: LeaveGuard): () => void {
  guard = next
  return () => {
    if (guard === next) guard = null
  }
}

/** Goes to a path, or to a query that begins with `?` on the same path. */
export async function navigate(to: string, { replace, state }: NavigateOptions = {}) {
  const path = to.startsWith('?') ? current.location.pathname + to : to
  const key = newKey()
  const url = new URL(hrefOf(path), window.location.origin)
  const location = locationOf(url, { key, state })
  const mayGo = guard?.(location) ?? true
  if (mayGo !== true && !(await mayGo)) return
  const index = replace ? current.index : current.index + 1
  const href = hrefOf(location.pathname) + location.search + location.hash
  if (replace) history.replaceState({ key, state, index }, '', href)
  else history.pushState({ key, state, index }, '', href)
  show({ location, index }, false)
}

function step(by: number): Promise<void> {
  return new Promise((resolve) => {
    onOwnStep = resolve
    history.go(by)
  })
}

async function onStep({ state: stored }: PopStateEvent) {
  if (onOwnStep) {
    onOwnStep()
    onOwnStep = null
    return
  }
  // The browser itself adds an entry for a link within the page.
  const isOurs = entryIn(stored).index !== undefined
  const index = isOurs ? indexOf(stored) : current.index + 1
  if (!isOurs) history.replaceState({ key: newKey(), index }, '')
  const entry = { location: locationOf(window.location, history.state), index }
  const mayGo = guard?.(entry.location) ?? true
  if (mayGo !== true) {
    const by = index - current.index
    await step(-by)
    if (!(await mayGo)) return
    await step(by)
  }
  show(entry, true)
}

/** Reads where the browser is, and follows it from now on. */
export function startHistory() {
  if (entryIn(history.state).index === undefined) {
    history.replaceState({ key: newKey(), index: 0 }, '')
  }
  current = { location: locationOf(window.location, history.state), index: indexOf(history.state) }
  window.addEventListener('popstate', (event) => void onStep(event))
}
