import { isRecord, type JsonRecord, parseJson, RecentItems } from '@tollgate/relay'
import { type Clock, sleep } from '../../clock.ts'
import type { NotifyBus } from '../../store/notify-bus.ts'
import type { ClientRequestHead } from '../http-types.ts'
import { pathOf, takesReferences } from './paths.ts'

/** Begins a message with items, so that other listeners of the bus do not parse it. */
const PREFIX = 'items '

const LOOK_MS = 20
const LOOKS_MAX = 15

const REFERENCES =
  /\{\s*"type"\s*:\s*"item_reference"\s*,\s*"id"\s*:\s*"([^"\\]{1,200})"|\{\s*"id"\s*:\s*"([^"\\]{1,200})"\s*,\s*"type"\s*:\s*"item_reference"/g

export type SharedItems = {
  readonly recentItems: RecentItems
  /**
   * Waits for the items that a request refers to, at most 0.3 s: its client may be faster than the
   * worker that answered before. Null if there are no other workers.
   */
  readonly awaitItems:
    | ((request: ClientRequestHead, body: Buffer, owner: number) => Promise<void> | undefined)
    | null
}

/** Items of answers, which any worker of this machine may be asked for next. */
export function shareItems(workers: NotifyBus | null, clock: Clock): SharedItems {
  if (workers === null) return { recentItems: new RecentItems(clock.now), awaitItems: null }
  const announce = (owner: number, items: readonly JsonRecord[]) =>
    workers.send(PREFIX + JSON.stringify({ owner, items }))
  const recentItems = new RecentItems(clock.now, { announce })
  workers.onText((text) => {
    if (!text.startsWith(PREFIX)) return
    const { owner, items } = announced(text)
    recentItems.receive(owner, items)
  })
  return {
    recentItems,
    awaitItems: (request, body, owner) => {
      if (!takesReferences(pathOf(request)) || !body.includes('item_reference')) return undefined
      const { bytesOf } = recentItems.of(owner)
      const isMissing = (id: string) => bytesOf(id) === 0
      const missing = referencesIn(body).filter(isMissing)
      return missing.length === 0 ? undefined : untilNone(() => missing.some(isMissing), clock)
    },
  }
}

function announced(text: string) {
  const message = parseJson(text.slice(PREFIX.length))
  const { owner, items } = isRecord(message) ? message : {}
  return {
    owner: typeof owner === 'number' ? owner : 0,
    items: Array.isArray(items) ? items.filter(isRecord) : [],
  }
}

const referencesIn = (body: Buffer): string[] =>
  [...body.toString().matchAll(REFERENCES)].map(([, last, first]) => last ?? first ?? '')

async function untilNone(isAnyMissing: () => boolean, clock: Clock): Promise<void> {
  for (let looks = 0; looks < LOOKS_MAX && isAnyMissing(); looks += 1) await sleep(clock, LOOK_MS)
}
