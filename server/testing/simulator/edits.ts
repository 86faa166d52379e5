import { USER_STATUS } from '@tollgate/contract'
import type { Credit, CreditKind, CreditOutcome, Ledger } from '../../src/ledger/ledger.ts'
import type { Tx } from '../../src/store/database.ts'
import { isDatabaseAway } from '../../src/store/failures.ts'
import { deleteToken, insertToken, type SimulatedToken } from './accounts.ts'
import type { World } from './world.ts'

type Edit = { weight: number; begin: (world: World) => void }

/** None of the edits leaves a cost uncollected: what running requests hold is never taken away. */
const EDITS: Readonly<Record<string, Edit>> = {
  topUp: { weight: 6, begin: (world) => credit(world, world.random.int(1, 3000)) },
  take: { weight: 3, begin: (world) => credit(world, -world.random.int(1, 400)) },
  setUser: {
    weight: 2,
    begin: (world) => {
      const ownerId = world.random.pick(world.userIds)
      setQuota(world, { kind: 'user', ownerId, targetBalance: world.random.int(0, 4000) })
    },
  },
  setToken: {
    weight: 5,
    begin: (world) => {
      const { id: ownerId } = anyToken(world)
      setQuota(world, {
        kind: 'token',
        ownerId,
        targetBalance: world.random.pick([0, 1, 500, 2000]),
      })
    },
  },
  switchToken: { weight: 2, begin: switchToken },
  setBudget: { weight: 2, begin: setBudget },
  replaceToken: { weight: 0.5, begin: replaceToken },
  banUser: { weight: 0.5, begin: banUser },
}

export function beginEdit(world: World) {
  const weights = Object.fromEntries(
    Object.entries(EDITS).map(([name, { weight }]) => [name, weight]),
  )
  const name = world.random.weighted(weights)
  world.note(`edit: ${name}`)
  EDITS[name]?.begin(world)
}

/**
 * Runs in one transaction on one of the nodes. If the database goes away, the edit may or may not
 * have happened.
 */
function edit<Result>(
  world: World,
  run: (tx: Tx, ledger: Ledger) => Promise<Result>,
  onDone: (result: Result) => void = () => {},
) {
  const { servingNodes, random } = world
  if (servingNodes.length === 0) return
  const { database, ledger, process } = random.pick(servingNodes)
  if (ledger === null) return
  database
    .transaction((tx) => run(tx, ledger))
    .then(
      (result) => process.isAlive && onDone(result),
      (error: unknown) => {
        if (!isDatabaseAway(error)) world.complain(`an edit failed: ${String(error)}`)
      },
    )
}

const anyToken = ({ random, tokens }: World): SimulatedToken =>
  random.pick(tokens.filter(({ isDeleted }) => !isDeleted))

/** Sometimes books twice, like a redemption that is retried after its response was lost. */
function credit(world: World, amount: number) {
  const { random, userIds } = world
  const isToken = random.chance(0.2)
  const account = isToken
    ? { kind: 'token' as const, ownerId: anyToken(world).id }
    : { kind: 'user' as const, ownerId: random.pick(userIds) }
  world.sources += 1
  const source = `simulated:${world.sources}`
  const entry: Credit = { ...account, amount, source, reason: 'simulated', actorId: 0 }
  for (let times = random.chance(0.3) ? 2 : 1; times > 0; times--) {
    edit(
      world,
      (tx, ledger) => ledger.credit(tx, entry),
      ({ type }) => {
        if (type === 'booked' || type === 'repeated') world.bookedSources.add(source)
      },
    )
  }
}

type Wanted = { kind: CreditKind; ownerId: number; targetBalance: number }

function setQuota(world: World, wanted: Wanted) {
  edit(world, (tx, ledger) => bookQuota(tx, ledger, wanted))
}

const bookQuota = (tx: Tx, ledger: Ledger, wanted: Wanted): Promise<CreditOutcome> =>
  ledger.editQuota(tx, { ...wanted, reason: 'simulated', actorId: 0 })

/** Switches between unlimited and a new limit. */
function switchToken(world: World) {
  const token = anyToken(world)
  const isLimited = !token.isLimited
  const wanted = world.random.pick([0, 300, 2000])
  edit(
    world,
    async (tx, ledger) => {
      const unlimited = isLimited ? 0 : 1
      await tx
        .updateTable('tokens')
        .set({ unlimited_quota: unlimited })
        .where('id', '=', token.id)
        .execute()
      return bookQuota(tx, ledger, { kind: 'token', ownerId: token.id, targetBalance: wanted })
    },
    () => {
      token.isLimited = isLimited
    },
  )
}

function setBudget(world: World) {
  const { id } = anyToken(world)
  const budget_quota = world.random.int(0, 1500)
  edit(world, async (tx) => {
    await tx.updateTable('tokens').set({ budget_quota }).where('id', '=', id).execute()
  })
}

function replaceToken(world: World) {
  const token = anyToken(world)
  world.lastTokenId += 10
  const id = world.lastTokenId
  const next = { ...token, id, isLimited: false }
  edit(
    world,
    async (tx) => {
      await deleteToken({ kysely: tx }, token.id)
      await insertToken(tx, next)
    },
    () => {
      token.isDeleted = true
      world.tokens.push(next)
    },
  )
}

/** For 1 to 60 s. */
function banUser(world: World) {
  const userId = world.random.pick(world.userIds)
  const setStatus = (status: number) =>
    edit(world, async (tx) => {
      await tx.updateTable('users').set({ status }).where('id', '=', userId).execute()
    })
  setStatus(USER_STATUS.disabled)
  world.timeline.after(world.random.int(1000, 60_000), () => setStatus(USER_STATUS.enabled))
}
