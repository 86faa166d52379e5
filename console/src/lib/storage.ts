type StorageKey =
  | 'user'
  | 'status'
  | 'system_name'
  | 'logo'
  | 'footer_html'
  | 'quota_per_unit'
  | 'display_in_currency'
  | 'chat_link'
  | 'time_zone'
  | 'channel_models'
  | 'language'
  | 'theme'
  | 'aff'
  | 'density'
  | 'log_views'
  | 'test_run'
  | 'connect_client'
  | `play-${number}`
  | `prompt-${string}`

type Where = 'here' | 'elsewhere'
type Listener = (where: Where) => void

const listeners = new Map<StorageKey, Set<Listener>>()

/** Values the browser refused to store (full or private mode), kept until page unload. */
const unsavedValues = new Map<StorageKey, string | null>()

export function getStored(key: StorageKey): string | null {
  const value = unsavedValues.get(key)
  if (value !== undefined) return value
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

type Smaller = () => string

/**
 * Null removes the key. If the browser refuses storage, the value lasts until page unload, and
 * `smaller` is stored for the next visit.
 */
export function setStored(key: StorageKey, value: string | null, smaller?: Smaller) {
  unsavedValues.delete(key)
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    unsavedValues.set(key, value)
    replaceOutdated(key, smaller)
  }
  notify(key, 'here')
}

/** When storage is full, the outdated value must not return on the next visit. */
function replaceOutdated(key: StorageKey, smaller: Smaller | undefined) {
  try {
    localStorage.removeItem(key)
    if (smaller) localStorage.setItem(key, smaller())
  } catch {
    // A browser that refuses this as well stores nothing.
  }
}

/** Undefined when the key is absent or not valid JSON. */
export function getStoredJson(key: StorageKey): unknown {
  const text = getStored(key)
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function setStoredJson(key: StorageKey, value: unknown, smaller?: () => unknown) {
  setStored(key, JSON.stringify(value), smaller && (() => JSON.stringify(smaller())))
}

/** Subscribes to changes made in this and other tabs. Returns an unsubscribe function. */
export function onStored(key: StorageKey, listener: Listener): () => void {
  const set = listeners.get(key) ?? new Set()
  listeners.set(key, set.add(listener))
  return () => set.delete(listener)
}

export function setPrompted(identifier: string) {
  setStored(`prompt-${identifier}`, 'true')
}

function notify(key: StorageKey, where: Where) {
  for (const listener of listeners.get(key) ?? []) listener(where)
}

if (typeof window !== 'undefined') {
  window.addEventListener('storage', (event) => {
    for (const key of listeners.keys()) {
      if (event.key !== null && event.key !== key) continue
      unsavedValues.delete(key)
      notify(key, 'elsewhere')
    }
  })
}
