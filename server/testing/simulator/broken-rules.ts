import type { LedgerDatabase } from '../../src/ledger/batch.ts'
/*
 * Plausible but wrong rules, each of which replaces one of ours: a simulation that does not find
 * their errors finds nothing. They wrap what the nodes use; the ledger itself is unchanged.
 */
import type { Disk } from '../../src/ledger/journal/disk.ts'
import type { EndRecord } from '../../src/ledger/record.ts'
import type { MemoryServer } from './memory-server.ts'

/** What a broken rule may know of the process it runs in. */
export type Place = { server: MemoryServer; machineName: string; monotonic: () => number }

/** Wrappers that replace the process's real database or disk. */
export type BrokenRule = {
  readonly database?: (database: LedgerDatabase, place: Place) => LedgerDatabase
  readonly disk?: (disk: Disk) => Disk
}

/** Functions, because each simulation needs a rule without state from before. */
export const BROKEN_RULES = {
  /** A lease expires when its node has been silent. */
  expiry: () => ({ database: expireLeases }),
  /** A process continues the epoch of the process before it. */
  resume: () => ({ database: resumeEpochs() }),
  /** A batch with an unknown outcome is treated as failed. */
  retry: () => ({ database: retryBatches }),
  /** A late end never replaces a void. */
  void: () => ({ database: keepVoids }),
  /** The full cost is charged, whatever the balance. */
  raw: () => ({ database: chargeAll }),
  /** A closed epoch continues. */
  fence: () => ({ database: openAgain }),
  /** The position alone, without the sequence number, fences an epoch. */
  beat: () => ({ database: ignoreSequence }),
  /** A request that never ended gets no record. */
  forget: () => ({ database: forgetVoids }),
  /** Written data is treated as synced. */
  unsynced: () => ({ disk: neverSync }),
} satisfies Record<string, () => BrokenRule>

const LEASE_MS = 60_000

/** Executes a statement when no transaction is open. */
function change(server: MemoryServer, sql: string, ...parameters: unknown[]): Promise<void> {
  return new Promise((resolve) => {
    server.whenFree(() => {
      server.execute([{ sql, parameters }])
      resolve()
    })
  })
}

function expireLeases(database: LedgerDatabase, { server, monotonic }: Place): LedgerDatabase {
  const since = new Map<string, number>()
  const otherEpochs: LedgerDatabase['otherEpochs'] = async (own) => {
    const others = await database.otherEpochs(own)
    for (const { epoch, sequence } of others) {
      const key = `${epoch} ${sequence}`
      since.set(key, since.get(key) ?? monotonic())
      if (monotonic() - (since.get(key) ?? 0) >= LEASE_MS) await endLeases(server, epoch)
    }
    return others
  }
  return { ...database, otherEpochs }
}

async function endLeases(server: MemoryServer, epoch: string) {
  const leased = (kind: string, owner: string, period: string) => `coalesce((
    select amount from quota_leases
    where run = ? and kind = '${kind}' and owner_id = ${owner} and period = ${period}), 0)`
  const less = (lease: string) => `set quota_leased = quota_leased - ${lease}`
  await change(server, `update users ${less(leased('user', 'users.id', '0'))}`, epoch)
  await change(server, `update tokens ${less(leased('token', 'tokens.id', '0'))}`, epoch)
  const budget = leased('budget', 'token_budgets.token_id', 'token_budgets.period_start')
  await change(server, `update token_budgets ${less(budget)}`, epoch)
  await change(server, 'delete from quota_leases where run = ?', epoch)
}

/**
 * All processes of a machine share one epoch in the database, whatever their folders are called.
 */
function resumeEpochs() {
  const epochs = new Map<string, string>()
  const names = new Map<string, string>()
  let starts = 0
  return (database: LedgerDatabase, { machineName }: Place): LedgerDatabase => {
    const real = (name: string) => names.get(name) ?? name
    /** Last record number of each epoch that this process has opened. */
    const lasts = new Map<string, number>()
    return {
      newEpochName: () => {
        const epoch = epochs.get(machineName) ?? database.newEpochName()
        epochs.set(machineName, epoch)
        starts += 1
        const name = `${epoch}-${starts}`
        names.set(name, epoch)
        lasts.set(name, 0)
        return name
      },
      openEpoch: (epoch, label) => database.openEpoch(real(epoch), label),
      applyBatch: (batch) => {
        if (lasts.has(batch.epoch)) lasts.set(batch.epoch, batch.to)
        return database.applyBatch({ ...batch, epoch: real(batch.epoch) })
      },
      applyLate: (late) => database.applyLate({ ...late, epoch: real(late.epoch) }),
      readEpoch: async (epoch) => {
        const state = await database.readEpoch(real(epoch))
        if (state === null || state.position <= (lasts.get(epoch) ?? Infinity)) return state
        throw new Error('more has been applied than this process has written down')
      },
      closeEpoch: async () => {},
      otherEpochs: (epoch) => database.otherEpochs(real(epoch)),
      reportFaults: (epoch, faults) => database.reportFaults(real(epoch), faults),
    }
  }
}

function retryBatches(database: LedgerDatabase, { server }: Place): LedgerDatabase {
  const applyBatch: LedgerDatabase['applyBatch'] = async (sent) => {
    try {
      return await database.applyBatch(sent)
    } catch (error) {
      const sql = 'update ledger_nodes set position = ? where run = ? and position = ?'
      await change(server, sql, sent.from, sent.epoch, sent.to)
      throw error
    }
  }
  return { ...database, applyBatch }
}

const idOf = ({ context }: EndRecord) => context.requestId

function keepVoids(database: LedgerDatabase, { server }: Place): LedgerDatabase {
  const applyLate: LedgerDatabase['applyLate'] = (late) => {
    const voided = server.ask<{ request_id: string }>(
      `select request_id from logs where outcome = 'void'`,
    )
    const ids = new Set(voided.map((row) => row.request_id))
    return database.applyLate({
      ...late,
      records: late.records.filter((record) => !ids.has(idOf(record))),
    })
  }
  return { ...database, applyLate }
}

function chargeAll(database: LedgerDatabase, { server }: Place): LedgerDatabase {
  const applyBatch: LedgerDatabase['applyBatch'] = async (sent) => {
    const outcome = await database.applyBatch(sent)
    for (const record of sent.records) await chargeRest(server, idOf(record))
    return outcome
  }
  return { ...database, applyBatch }
}

async function chargeRest(server: MemoryServer, id: string) {
  await change(server, 'pragma ignore_check_constraints = on')
  const rest = `(select uncollected from logs where request_id = ?)`
  const owner = `(select user_id from logs where request_id = ?)`
  await change(server, `update users set quota = quota - ${rest} where id = ${owner}`, id, id)
  await change(
    server,
    `update ledger_days set charged = charged + ${rest} where (user_id, token_id, day) = (
      select user_id, token_id, created_at / 86400 from logs where request_id = ?)`,
    id,
    id,
  )
  await change(
    server,
    'update logs set quota = quota + uncollected, uncollected = 0 where request_id = ?',
    id,
  )
}

function openAgain(database: LedgerDatabase, { server }: Place): LedgerDatabase {
  const applyBatch: LedgerDatabase['applyBatch'] = async (sent) => {
    const outcome = await database.applyBatch(sent)
    if (outcome.type !== 'closed') return outcome
    const sql = 'update ledger_nodes set closed_at = null, finished_at = null where run = ?'
    await change(server, sql, sent.epoch)
    return database.applyBatch(sent)
  }
  return { ...database, applyBatch }
}

const ignoreSequence = (database: LedgerDatabase, { server }: Place): LedgerDatabase => ({
  ...database,
  applyBatch: (batch) => {
    const [row] = server.ask<{ beat: number }>(
      `select beat from ledger_nodes where run = '${batch.epoch}'`,
    )
    return database.applyBatch({ ...batch, sequence: row?.beat ?? batch.sequence })
  },
})

const forgetVoids = (database: LedgerDatabase): LedgerDatabase => ({
  ...database,
  closeEpoch: (closing) =>
    database.closeEpoch(closing.type === 'finished' ? { ...closing, voids: [] } : closing),
})

const neverSync = (disk: Disk): Disk => ({
  ...disk,
  create: (path) => ({ ...disk.create(path), sync: async () => {} }),
})
