import type { Clock } from '../../clock.ts'
import { createLru } from '../../lru.ts'

/** Where the prefix of a session is cached. */
export type Binding = {
  readonly channel: number
  /** Identifies the key of the channel without revealing it. */
  readonly keyId: string
  readonly model: string
}

/** Bindings of sessions by their key. */
export type AffinityStore = {
  /** Undefined without a binding; a promise if other nodes must be asked. */
  readonly get: (session: string) => Binding | undefined | Promise<Binding | undefined>
  /** What this process knows. */
  readonly known: (session: string) => Binding | undefined
  readonly set: (session: string, binding: Binding, lifeMs: number) => void
  readonly delete: (session: string) => void
  /** Live bindings of a model by channel, as this process knows them. */
  readonly counts: (model: string) => ReadonlyMap<number, number>
  readonly close: () => Promise<void>
}

/** Each entry takes some 300 bytes. The least recently used are evicted. */
const SESSIONS_MAX = 50_000

type Entry = { readonly binding: Binding; readonly until: number }

export function createMemoryAffinity({ monotonic }: Pick<Clock, 'monotonic'>): AffinityStore {
  const entries = createLru<string, Entry>(SESSIONS_MAX)
  const known = (session: string) => {
    const entry = entries.get(session)
    if (entry === undefined) return undefined
    if (entry.until > monotonic()) return entry.binding
    entries.delete(session)
    return undefined
  }
  return {
    known,
    get: known,
    set: (session, binding, lifeMs) => {
      entries.set(session, { binding, until: monotonic() + lifeMs })
    },
    delete: (session) => void entries.delete(session),
    counts: (model) => {
      const counts = new Map<number, number>()
      const now = monotonic()
      for (const { binding, until } of entries.values()) {
        if (binding.model !== model || until <= now) continue
        counts.set(binding.channel, (counts.get(binding.channel) ?? 0) + 1)
      }
      return counts
    },
    close: async () => {},
  }
}
