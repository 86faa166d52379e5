/** Every key the console keeps in the browser. */
type StorageKey =
  | 'user'
  | 'status'
  | 'system_name'
  | 'logo'
  | 'footer_html'
  | 'quota_per_unit'
  | 'display_in_currency'
  | 'chat_link'
  | 'channel_models'
  | 'language'
  | 'theme'
  | 'aff'
  | 'density'
  | `prompt-${string}`

type Listener = () => void

const listeners = new Map<StorageKey, Set<Listener>>()

/** Null also when the browser refuses storage, as in some private windows. */
export function getStored(key: StorageKey): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Null removes the key. A browser that refuses storage only forgets. */
export function setStored(key: StorageKey, value: string | null) {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    return
  }
  notify(key)
}

/** Undefined when the text is absent or is no JSON. */
export function getStoredJson(key: StorageKey): unknown {
  const text = getStored(key)
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function setStoredJson(key: StorageKey, value: unknown) {
  setStored(key, JSON.stringify(value))
}

/** Calls back on changes made here and in other tabs; returns how to stop. */
export function onStored(key: StorageKey, listener: Listener): () => void {
  const set = listeners.get(key) ?? new Set()
  listeners.set(key, set.add(listener))
  return () => set.delete(listener)
}

export function wasPrompted(identifier: string): boolean {
  return getStored(`prompt-${identifier}`) === 'true'
}

export function setPrompted(identifier: string) {
  setStored(`prompt-${identifier}`, 'true')
}

function notify(key: StorageKey) {
  for (const listener of listeners.get(key) ?? []) listener()
}

if (typeof window !== 'undefined') {
  window.addEventListener('storage', (event) => {
    for (const key of listeners.keys()) {
      if (event.key === null || event.key === key) notify(key)
    }
  })
}
