import type { IncomingHttpHeaders } from 'node:http'
import type { OptionValues } from '@tollgate/contract'
import type { RelayRequest, Usage } from '@tollgate/relay'
import type { AffinityStore, Binding } from './affinity-store.ts'
import type { Target } from './channel-registry.ts'
import { sessionKeyOf } from './session-key.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * How long vendors keep a cached prefix after its last use: Anthropic 5 minutes, or an hour where
 * the request says so; OpenAI 30 minutes from GPT-5.6 on and longer before; DeepSeek hours
 * (their pages on prompt caching, 2026). Other vendors publish no time.
 */
const LIFE_MS: Readonly<Record<string, number>> = {
  anthropic: 5 * MINUTE_MS,
  openai: 30 * MINUTE_MS,
  azure: 30 * MINUTE_MS,
  deepseek: HOUR_MS,
}
const LIFE_MS_DEFAULT = 10 * MINUTE_MS
/** Parallel requests of a session follow its first request until that has answered. */
const STARTED_LIFE_MS = MINUTE_MS
/** The key of a binding whose channel was chosen in this moment. */
const UNDECIDED = ''

type Used = {
  readonly target: Pick<Target, 'id' | 'channel' | 'upstreamModel'>
  readonly key: string
}

/**
 * Where the turns of one session go, for one request. A preference only: priority, weight 0,
 * cooldowns and limits come first.
 */
export class SessionAffinity {
  readonly #store: AffinityStore
  readonly #session: string
  readonly #model: string
  /** The binding when the request began, until it failed. */
  #seen: Binding | undefined

  constructor(
    store: AffinityStore,
    { session, model, seen }: { session: string; model: string; seen: Binding | undefined },
  ) {
    this.#store = store
    this.#session = session
    this.#model = model
    this.#seen = seen
  }

  get channel(): number | null {
    return this.#current?.channel ?? null
  }

  /** The id of the key to use at this channel; null if any will do. */
  keyAt(channel: number): string | null {
    const current = this.#current
    return current?.channel === channel && current.keyId !== UNDECIDED ? current.keyId : null
  }

  isBoundTo(used: Used): boolean {
    return isSame(this.#current, this.#bindingOf(used))
  }

  /** Parallel requests of a new session follow its first, even before that has a key. */
  chose({ id: channel }: Pick<Target, 'id'>) {
    if (this.#current !== undefined) return
    const binding = { channel, keyId: UNDECIDED, model: this.#model }
    this.#store.set(this.#session, binding, STARTED_LIFE_MS)
  }

  started(used: Used) {
    const current = this.#current
    const isOpen = current?.channel === used.target.id && current.keyId === UNDECIDED
    if (current !== undefined && !isOpen) return
    this.#store.set(this.#session, this.#bindingOf(used), STARTED_LIFE_MS)
  }

  /** The channel or the key failed, so the next turn chooses again. */
  failed(used: Used) {
    const binding = this.#bindingOf(used)
    if (isSame(this.#current, binding)) this.#store.delete(this.#session)
    if (isSame(this.#seen, binding)) this.#seen = undefined
  }

  /**
   * Renews the binding, or moves it to where this request was served. A binding that another
   * request made meanwhile stays: its prefix is cached there.
   */
  served(used: Used, usage: Pick<Usage, 'kinds'>) {
    const binding = this.#bindingOf(used)
    const current = this.#store.known(this.#session)
    const isOthers = current !== undefined && !isSame(current, this.#seen)
    if (isOthers && !isSame(current, binding)) return
    this.#store.set(this.#session, binding, lifeMsOf(used, usage))
  }

  /** A parallel request may have bound the session since this one began. */
  get #current(): Binding | undefined {
    return this.#store.known(this.#session) ?? this.#seen
  }

  #bindingOf({ target, key }: Used): Binding {
    return { channel: target.id, keyId: target.channel.keys.idOf(key), model: this.#model }
  }
}

const isSame = (one: Binding | undefined, other: Binding | undefined): boolean =>
  one?.channel === other?.channel && one?.keyId === other?.keyId

function lifeMsOf({ target }: Used, { kinds = [] }: Pick<Usage, 'kinds'>): number {
  if (kinds.some(({ kind }) => kind === 'long_cache_write')) return HOUR_MS
  const { vendor } = target.channel.overrides.cardOf('unknown', target.upstreamModel)
  return LIFE_MS[vendor] ?? LIFE_MS_DEFAULT
}

type Asked = {
  readonly caller: { readonly token: { readonly id: number } }
  readonly request: { readonly headers: IncomingHttpHeaders }
  readonly parsedRequest: RelayRequest
  readonly terms: {
    readonly targets: readonly Pick<Target, 'channel'>[]
    readonly options: Pick<OptionValues, 'SessionAffinityEnabled'>
  }
}

/**
 * The affinity of a request's session; null if it has none, or if there is no choice. A promise if
 * other nodes must be asked.
 */
export function findAffinity(
  store: AffinityStore,
  { caller, request, parsedRequest, terms }: Asked,
): SessionAffinity | null | Promise<SessionAffinity | null> {
  const { task, endpoint, model } = parsedRequest
  if (!terms.options.SessionAffinityEnabled) return null
  if (task !== undefined || endpoint === 'embeddings') return null
  const { targets } = terms
  if (targets.length === 1 && targets[0]?.channel.keys.hasSeveral !== true) return null
  const session = sessionKeyOf(caller.token.id, request.headers, parsedRequest)
  if (session === null) return null
  const seen = store.get(session)
  const affinityFrom = (binding: Binding | undefined) =>
    new SessionAffinity(store, { session, model, seen: binding })
  return seen instanceof Promise ? seen.then(affinityFrom) : affinityFrom(seen)
}
