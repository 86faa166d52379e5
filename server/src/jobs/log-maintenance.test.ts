import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { ROLE } from '@tollgate/contract'
import { DATABASES } from '../../testing/harness/databases.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { waitUntil } from '../../testing/harness/wait-until.ts'
import { spend } from '../../testing/ledger/spend.ts'
import {
  idOf,
  openControlPlane,
  type Person,
  tokenForm,
} from '../../testing/worlds/control-plane.ts'
import { logRow } from '../../testing/worlds/log-row.ts'
import { nextPeriodStart } from '../domain/budget-period.ts'
import { audit } from '../ledger/audit/audit.ts'
import { createLog } from '../process/log.ts'
import { logsKeptSince } from '../store/delete-logs.ts'
import { IMPORTED_LOGS, prepareImportedLogs } from '../store/imported-logs.ts'
import { createLogMaintenance, startLogMaintenance } from './log-maintenance.ts'

const HOUR = 3600
const DAY = 86_400
const COST = 38

describe.each(DATABASES)('rows of the log on %s', (kind) => {
  let admin: Person
  let user: Person
  let tokenId: number
  let now: number

  const plane = openPerTest(() => openControlPlane(kind))
  beforeEach(async () => {
    admin = await plane.addPerson(ROLE.admin)
    user = await plane.addPerson(ROLE.user, 100_000)
    const body = { ...tokenForm, unlimited_quota: true }
    tokenId = idOf(await plane.call('POST', '/api/token/', { as: user, body }))
    now = Math.floor(Date.now() / 1000)
    plane.clock.now = now * 1000
  })
  const deps = (log = createLog('silent')) => ({ ...plane, log, now: () => plane.clock.now })

  const round = (signal = new AbortController().signal) => createLogMaintenance(deps())(signal)

  const setDays = async (days: number | string) =>
    plane.call('PUT', '/api/option/', {
      as: await plane.addPerson(ROLE.root),
      body: { key: 'LogRetentionDays', value: String(days) },
    })

  async function spendAt(at: number) {
    plane.clock.now = at * 1000
    await spend(plane.ledger, { by: user, tokenId, cost: COST, at })
    plane.clock.now = now * 1000
  }

  const charges = async () => {
    const rows = await plane.database.kysely
      .selectFrom('logs')
      .select('created_at')
      .where('request_id', 'is not', null)
      .orderBy('created_at')
      .execute()
    return rows.map(({ created_at }) => created_at)
  }

  const books = async () => {
    const { kysely } = plane.database
    const hours = ['rollups', 'model_hours', 'channel_hours', 'user_hours'] as const
    const tables = ['users', 'tokens', 'credits', 'ledger_days', ...hours] as const
    return Promise.all(tables.map((table) => kysely.selectFrom(table).selectAll().execute()))
  }

  test('are kept forever, unless a number of days is set', async () => {
    const old = now - 3650 * DAY
    await spendAt(old)
    await round()
    expect(await charges()).toEqual([old])
    expect(await logsKeptSince(plane.database.kysely)).toBe(0)
  })

  test('are deleted when they are older than that, hour by hour; the books stay and add up', async () => {
    const hour = now - (now % HOUR) - 30 * DAY
    for (const at of [hour - 40 * DAY, hour - 1, hour, now]) await spendAt(at)
    await setDays(30)
    const before = await books()
    await round()
    expect(await charges()).toEqual([hour, now])
    expect(await books()).toEqual(before)
    expect(await audit(plane.database)).toEqual([])
    const sum = await plane.call('GET', '/api/log/stat', { as: await plane.signIn(admin.id) })
    expect(sum.data).toEqual({ quota: 2 * COST })
  })

  test("stay if only the machine's clock says they are older, not the database's", async () => {
    await spendAt(now - 20 * DAY)
    await setDays(30)
    plane.clock.now += 25 * DAY * 1000
    await round()
    expect(await charges()).toHaveLength(kind === 'postgres' ? 1 : 0)
  })

  test('are deleted until the server stops', async () => {
    const { kysely } = plane.database
    const old = Array.from({ length: 1200 }, () => logRow(null, 5))
    for (const row of [0, 400, 800]) {
      await kysely
        .insertInto('logs')
        .values(old.slice(row, row + 400))
        .execute()
    }
    await setDays(30)
    await round(AbortSignal.abort())
    const left = () => kysely.selectFrom('logs').select('id').where('created_at', '=', 5).execute()
    expect(await left()).toHaveLength(1200)
    const keeping = startLogMaintenance(deps())
    await waitUntil(async () => (await left()).length === 0)
    await keeping.stop()
  })

  if (kind === 'postgres') {
    test('are deleted also if the coming months cannot be created', async () => {
      await spendAt(now - 3 * DAY)
      await setDays(2)
      const { kysely } = plane.database
      await sql`alter table logs_default rename to logs_elsewhere`.execute(kysely)
      await expect(round()).rejects.toThrow('logs_default')
      expect(await charges()).toEqual([])
    })

    test('of coming months get partitions also if those of an import cannot move', async () => {
      const { kysely } = plane.database
      await prepareImportedLogs(plane.database)
      await sql`alter table logs_imported rename column request_id to request`.execute(kysely)
      await sql`insert into logs_imported (user_id, created_at) values (1, ${DAY})`.execute(kysely)
      const partitions = async () => {
        const { rows } = await sql`select from pg_inherits
          where inhparent = 'logs'::regclass`.execute(kysely)
        return rows.length
      }
      const before = await partitions()
      plane.clock.now += 62 * DAY * 1000
      await expect(round()).rejects.toThrow('"request"')
      expect(await partitions()).toBeGreaterThan(before)
    })

    test('in a month with too many rows to be moved are reported once', async () => {
      const month = nextPeriodStart('month', nextPeriodStart('month', now))
      await sql`insert into logs (user_id, created_at, request_id)
        select 1, ${month}, 'many' || n from generate_series(0, 10000) as n`.execute(
        plane.database.kysely,
      )
      const lines: string[] = []
      const log = createLog('info', { write: (line) => void lines.push(line) })
      const keep = createLogMaintenance(deps(log))
      for (const { signal } of [new AbortController(), new AbortController()]) await keep(signal)
      expect(lines).toHaveLength(1)
      const name = new Date(month * 1000).toISOString().slice(0, 7)
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({
        level: 40,
        month: name,
        msg: expect.stringContaining('docs/operate/troubleshoot.md'),
      })
    })
  }

  test.each([-1, 0.5, 3651, 'ever'])('%s is not a number of days', async (days) => {
    expect(await setDays(days)).toMatchObject({ success: false })
  })
})

describe('rows of an import that was killed, on postgres', () => {
  const plane = openPerTest(() => openControlPlane('postgres'))

  test('become part of the log', async () => {
    const { database } = plane
    await prepareImportedLogs(database)
    await sql`insert into ${sql.table(IMPORTED_LOGS)} (user_id, created_at, request_id)
      values (1, ${DAY}, 'imported')`.execute(database.kysely)
    const ids = () => database.kysely.selectFrom('logs').select('request_id').execute()
    expect(await ids()).toEqual([])
    const deps = { ...plane, log: createLog('silent'), now: Date.now }
    await createLogMaintenance(deps)(new AbortController().signal)
    expect(await ids()).toEqual([{ request_id: 'imported' }])
  })
})
