import { z } from 'zod'
import { NEVER, PAYOUT_FEN_MIN, ROLE } from '@tollgate/contract'
import { LedgerUnavailable } from '../../src/ledger/ledger.ts'
import type { Tx } from '../../src/store/database.ts'
import {
  accessTokenOf,
  type Answer,
  type ControlPlane,
  idOf,
  type Person,
  tokenForm,
} from '../worlds/control-plane.ts'
import { request, settlement } from './ledger-world.ts'

const PEOPLE = 80
const CODES_AT_FIRST = 500
const BOOKINGS_AT_ONCE = 20
/** Few users per batch, so that other operations run in parallel instead of queueing. */
const PEOPLE_OF_A_BATCH = 3
const SOURCES = 4000
const FIRST_QUOTA = 200_000
const PRICE_MAX = 20_000

/** Amounts the responses reported, to compare with the ledger. */
export type MoneyTotals = {
  redeemed: number
  granted: number
  edited: number
  paidOut: number
  cost: number
}

export type MoneyWorld = {
  plane: ControlPlane
  root: Person
  admin: Person
  people: Person[]
  giftCodes: string[]
  inviteCodes: string[]
  codes: string[]
  tokens: { id: number; owner: number }[]
  totals: MoneyTotals
  /** Balance changes by repeated edits, keyed by edit id. */
  edits: Map<string, number>
  /** Operations done; each advances the clock by a second. */
  done: number
  /** Returns a number from 0 to below 1. */
  random: () => number
}

const upTo = ({ random }: MoneyWorld, most: number) => 1 + Math.floor(random() * most)

function oneOf<Item>({ random }: MoneyWorld, items: readonly Item[]): Item {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('there is nothing to choose from')
  return item
}

type AdminRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  url: string
  body?: unknown
  as?: Person
}

/** Business errors are valid responses; internal errors are not. */
async function ask(world: MoneyWorld, { method, url, body, as = world.admin }: AdminRequest) {
  world.done += 1
  world.plane.clock.now += 1000
  const headers = { authorization: accessTokenOf(as) }
  const answer = await world.plane.call(method, url, { headers, body })
  if (answer.status !== 200) throw new Error(`${method} ${url}: ${answer.status} ${answer.text}`)
  return answer
}

export async function openMoneyWorld(
  plane: ControlPlane,
  random: () => number,
): Promise<MoneyWorld> {
  const people: Person[] = []
  for (let count = 0; count < PEOPLE; count++) {
    people.push(await plane.addPerson(ROLE.user, FIRST_QUOTA))
  }
  await befriend(plane, people)
  const codes = await plane.database.kysely.selectFrom('users').select(['aff_code']).execute()
  const world: MoneyWorld = {
    plane,
    root: await plane.addPerson(ROLE.root),
    admin: await plane.addPerson(ROLE.admin),
    people,
    giftCodes: codes.map(({ aff_code }) => aff_code.slice(-5)),
    inviteCodes: codes.map(({ aff_code }) => aff_code),
    codes: [],
    tokens: [],
    totals: { redeemed: 0, granted: 0, edited: 0, paidOut: 0, cost: 0 },
    edits: new Map(),
    done: 0,
    random,
  }
  while (world.codes.length < CODES_AT_FIRST) await makeCodes(world, 100)
  for (const person of people) await createToken(world, person)
  world.done = 0
  return world
}

/** Everyone but the first has an inviter, in a ring with shortcuts. */
async function befriend({ database }: ControlPlane, people: readonly Person[]) {
  for (const [index, { id }] of people.entries()) {
    const inviter_id = people[(index * 7) % people.length]?.id ?? 0
    if (inviter_id === id) continue
    await database.kysely.updateTable('users').set({ inviter_id }).where('id', '=', id).execute()
  }
}

async function makeCodes(world: MoneyWorld, count = upTo(world, 5)) {
  const body = { name: 'mix', quota: upTo(world, 1_000_000), count }
  const { data } = await ask(world, { method: 'POST', url: '/api/redemption/', body })
  world.codes.push(...z.array(z.string()).parse(data))
}

async function redeem(world: MoneyWorld) {
  const as = oneOf(world, world.people)
  const gift_code = world.random() < 0.5 ? oneOf(world, world.giftCodes) : ''
  const body = { key: oneOf(world, world.codes), gift_code }
  const answer = await ask(world, { method: 'POST', url: '/api/user/topup', body, as })
  if (answer.success) world.totals.redeemed += z.int().parse(answer.data)
}

/** Draws from few ids, so that most are repeated, some with a different user or amount. */
async function grant(world: MoneyWorld) {
  const number = upTo(world, 300)
  const isOther = world.random() < 0.1
  const quota = isOther ? upTo(world, 1000) : number * 10
  const body = {
    user_id: world.people[number % PEOPLE]?.id,
    quota,
    ...(world.random() < 0.7 ? { transaction_id: `shop-${number}` } : {}),
  }
  const answer = await ask(world, { method: 'POST', url: '/api/topup', body })
  if (!answer.success) return
  const { repeated } = z.object({ repeated: z.boolean() }).parse(answer.data)
  if (!repeated) world.totals.granted += quota
}

/** Half of the edits use a balance read earlier, which others change meanwhile. */
async function editQuota(world: MoneyWorld) {
  const { id } = oneOf(world, world.people)
  const url = '/api/user/'
  if (world.random() < 0.5) {
    const body = { id, quota: upTo(world, FIRST_QUOTA) }
    await ask(world, { method: 'PUT', url, body })
    return
  }
  const { quota } = quotaSchema.parse(
    (await ask(world, { method: 'GET', url: `${url}${id}` })).data,
  )
  const wanted = Math.max(0, quota + upTo(world, 40_000) - 20_000)
  const body = { id, quota: wanted, quota_seen: quota }
  await ask(world, { method: 'PUT', url, body })
}

const quotaSchema = z.object({ quota: z.int() })

/**
 * Draws from few edit ids, for user balances and token limits. Most are repeated, some with another
 * amount, some in parallel.
 */
async function editAgain(world: MoneyWorld) {
  const number = upTo(world, 200)
  const more = world.random() < 0.1 ? upTo(world, 1000) : number * 10
  const edit_id = `mix-${number}`
  const send = () =>
    number % 2 === 0
      ? editUser(world, { number, more, edit_id })
      : editLimit(world, { number, more, edit_id })
  await Promise.all(world.random() < 0.2 ? [send(), send()] : [send()])
}

type EditAgain = { number: number; more: number; edit_id: string }

const SEEN = 50_000

async function editUser(world: MoneyWorld, { number, more, edit_id }: EditAgain) {
  const id = world.people[number % PEOPLE]?.id
  const body = { id, quota: SEEN + more, quota_seen: SEEN, edit_id }
  const { success } = await ask(world, { method: 'PUT', url: '/api/user/', body })
  if (success) tellEdit(world, `user ${edit_id}`, more)
}

async function editLimit(world: MoneyWorld, { number, more, edit_id }: EditAgain) {
  // The first tokens: one per user.
  const { id, owner } = world.tokens[number % PEOPLE] ?? oneOf(world, world.tokens)
  const as = world.people.find((person) => person.id === owner)
  if (!as) throw new Error('a token has no owner')
  const body = { ...tokenForm, id, remain_quota: SEEN + more, quota_seen: SEEN, edit_id }
  const { success } = await ask(world, { method: 'PUT', url: '/api/token/', body, as })
  if (success) tellEdit(world, `token ${edit_id}`, more)
}

/** A repeat with the same amount changed nothing. A different amount would be booked again. */
function tellEdit(world: MoneyWorld, id: string, more: number) {
  if (world.edits.get(id) === more) return
  world.edits.set(id, more)
  world.totals.edited += more
}

async function payOut(world: MoneyWorld) {
  const number = upTo(world, 1000)
  const body = {
    user_id: oneOf(world, world.people).id,
    amount: PAYOUT_FEN_MIN + upTo(world, 5),
    ...(world.random() < 0.5 ? { payout_id: `payout-${number}` } : {}),
  }
  const { root: as } = world
  const answer = await ask(world, { method: 'POST', url: '/api/partner/payout', body, as })
  if (answer.success && !isRepeated(answer)) world.totals.paidOut += body.amount
}

const isRepeated = ({ data }: Answer) => z.object({ repeated: z.boolean() }).parse(data).repeated

/** Toggles, edits and deletes codes, used or not. */
async function changeCode(world: MoneyWorld) {
  const id = upTo(world, world.codes.length)
  const url = '/api/redemption/'
  const which = world.random()
  if (which < 0.1) await ask(world, { method: 'DELETE', url: `${url}${id}` })
  else if (which < 0.5) {
    const body = { id, name: 'edited', quota: upTo(world, 1_000_000) }
    await ask(world, { method: 'PUT', url, body })
  } else {
    const body = { id, status: upTo(world, 2) }
    await ask(world, { method: 'PUT', url: `${url}?status_only=true`, body })
  }
}

async function createToken(world: MoneyWorld, as = oneOf(world, world.people)) {
  const body = {
    ...tokenForm,
    remain_quota: upTo(world, FIRST_QUOTA),
    unlimited_quota: world.random() < 0.3,
  }
  const answer = await ask(world, { method: 'POST', url: '/api/token/', body, as })
  world.tokens.push({ id: idOf(answer), owner: as.id })
}

async function editToken(world: MoneyWorld) {
  const { id, owner } = oneOf(world, world.tokens)
  const as = world.people.find((person) => person.id === owner)
  if (!as) throw new Error('a token has no owner')
  const body = {
    ...tokenForm,
    id,
    remain_quota: upTo(world, FIRST_QUOTA),
    unlimited_quota: world.random() < 0.3,
    expired_time: NEVER,
    ...(world.random() < 0.5 ? { quota_seen: upTo(world, FIRST_QUOTA) } : {}),
  }
  await ask(world, { method: 'PUT', url: '/api/token/', body, as })
  await ask(world, { method: 'PUT', url: '/api/token/?status_only=1', body: { id, status: 1 }, as })
}

/** A gateway request: a hold, then settled for any amount up to the hold, or voided. */
async function relay(world: MoneyWorld) {
  const { id, owner } = oneOf(world, world.tokens)
  const most = upTo(world, PRICE_MAX)
  world.done += 1
  const held = await hold(world, { id, owner }, most)
  if (held?.type !== 'held') return
  world.done += 1
  if (world.random() < 0.2) return held.hold.void(settlement(0))
  const cost = upTo(world, PRICE_MAX)
  await held.hold.settle(settlement(cost))
  world.totals.cost += cost
}

/**
 * The test clock runs hundreds of times faster than real time. On a busy machine one ledger batch
 * can take more than five minutes of it, and the ledger grants no holds after five minutes without
 * the database.
 */
async function hold({ plane }: MoneyWorld, token: { id: number; owner: number }, most: number) {
  try {
    return await plane.ledger.hold(request(token.owner, token.id), { min: 1, max: most })
  } catch (error) {
    if (error instanceof LedgerUnavailable) return null
    throw error
  }
}

/** Many bookings in one transaction, by ascending user id as everywhere; some sources repeat. */
async function bookMany(world: MoneyWorld) {
  const few = Array.from({ length: PEOPLE_OF_A_BATCH }, () => oneOf(world, world.people))
  const people = Array.from({ length: BOOKINGS_AT_ONCE }, () => oneOf(world, few))
  people.sort((one, other) => one.id - other.id)
  world.done += people.length
  await world.plane.database.transaction(async (tx) => {
    for (const { id } of people) await book(world, tx, id)
  })
}

async function book(world: MoneyWorld, tx: Tx, userId: number) {
  const { ledger } = world.plane
  const amount = upTo(world, 20_000)
  const rest = { reason: '', actorId: 0, source: `batch:${upTo(world, SOURCES)}` }
  const which = world.random()
  if (which < 0.5) {
    await ledger.credit(tx, { ...rest, kind: 'user', ownerId: userId, amount: amount - 8000 })
  } else if (which < 0.7) {
    await ledger.editQuota(tx, {
      ...rest,
      kind: 'user',
      ownerId: userId,
      targetBalance: amount * 10,
    })
  } else if (which < 0.85) await ledger.earn(tx, { ...rest, userId, amount })
  else await ledger.payOut(tx, { ...rest, userId, amount })
}

/** Hashing a password takes a hundred times as long as everything else. */
async function addAccount(world: MoneyWorld) {
  const username = `mix${world.done}`
  const account = { username, password: 'a password' }
  const aff_code = oneOf(world, world.inviteCodes)
  const register = { ...account, aff_code }
  await (world.random() < 0.5
    ? ask(world, { method: 'POST', url: '/api/user/', body: account })
    : ask(world, { method: 'POST', url: '/api/user/register', body: register }))
}

const OPERATIONS: readonly [weight: number, operation: (world: MoneyWorld) => Promise<unknown>][] =
  [
    [130, relay],
    [110, redeem],
    [70, grant],
    [30, editQuota],
    [30, editAgain],
    [30, payOut],
    [25, changeCode],
    [50, bookMany],
    [10, editToken],
    [10, createToken],
    [6, makeCodes],
    [2, addAccount],
  ]

const WEIGHTS = OPERATIONS.reduce((sum, [weight]) => sum + weight, 0)

export async function doSomething(world: MoneyWorld): Promise<void> {
  let left = world.random() * WEIGHTS
  for (const [weight, operation] of OPERATIONS) {
    left -= weight
    if (left < 0) {
      await operation(world)
      return
    }
  }
}
