import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { afterEach, describe, expect, test } from 'vitest'
import {
  DATABASES,
  type DatabaseKind,
  openKeptDatabase,
} from '../../../testing/harness/databases.ts'
import { systemClock } from '../../clock.ts'
import { trimStored } from '../../jobs/trim-stored-items.ts'
import { deriveSecrets } from '../../secrets.ts'
import { openDatabase } from '../../store/database.ts'
import { trimStoredItems } from '../../store/stored-items.ts'
import { StoredItems } from './stored-items.ts'

const HOUR_MS = 3_600_000
/** On a busy machine the database answers late. */
const WRITTEN_WITHIN_MS = 10_000
const USER = 7
const ITEM = { id: 'msg_1', type: 'message', content: [{ type: 'output_text', text: 'yes' }] }
const NAME = 'item msg_1'

const closing = new Set<() => Promise<void>>()
afterEach(async () => {
  for (const close of closing) await close()
  closing.clear()
})

async function setUp(kind: DatabaseKind) {
  const place = await openKeptDatabase(kind)
  const database = await openDatabase(place)
  closing.add(async () => {
    await database.close()
    await place.close()
  })
  const clock = { ...systemClock, now: () => time.now }
  const time = { now: Date.now() }
  const options = { hours: 2 }
  /** Another process on this database. */
  const open = (key = 'the key of this installation') =>
    new StoredItems({
      database,
      secrets: deriveSecrets(key),
      hours: () => options.hours,
      log: pino({ level: 'silent' }),
      clock,
    })
  const keep = async (item: object = ITEM, user = USER) => {
    const stored = open()
    stored.recentItems?.of(user).keep([{ ...item }])
    await stored.written(user)
    return stored
  }
  const rows = () => database.kysely.selectFrom('stored_items').selectAll().execute()
  return { database, time, options, open, keep, rows }
}

describe.each(DATABASES)('what clients refer to, on %s', (kind) => {
  test('is found by another process of the same user until it expires', async () => {
    const { time, open, keep } = await setUp(kind)
    await keep()
    const other = open()
    expect(await other.load(USER, [NAME])).toHaveLength(1)
    expect(other.recentItems?.of(USER).find('msg_1')).toEqual(ITEM)
    time.now += 2 * HOUR_MS + 1000
    expect(await open().load(USER, [NAME])).toEqual([])
  })

  test('is not found by another user, nor by another installation', async () => {
    const { open, keep, rows } = await setUp(kind)
    await keep()
    expect(await open().load(USER + 1, [NAME])).toEqual([])
    expect(await open('another key').load(USER, [NAME])).toEqual([])
    const [row] = await rows()
    expect(JSON.stringify(row)).not.toMatch(/msg_1|yes/)
  })

  test('does not open in the row of another user or id', async () => {
    const { database, open, keep, rows } = await setUp(kind)
    await keep()
    const [victims] = await rows()
    await keep({ ...ITEM, id: 'msg_2' }, USER + 1)
    await database.kysely
      .updateTable('stored_items')
      .set({ sealed: victims?.sealed ?? '' })
      .execute()
    expect(await open().load(USER + 1, ['item msg_2'])).toEqual([])
    expect(await open().load(USER, [NAME])).toHaveLength(1)
  })

  test('is not found once any byte was altered', async () => {
    const { database, open, keep, rows } = await setUp(kind)
    await keep()
    const [{ sealed } = { sealed: '' }] = await rows()
    const bytes = Buffer.from(sealed, 'base64url')
    const flipped = (at: number) => {
      const altered = Buffer.from(bytes)
      altered[at] = (altered[at] ?? 0) ^ 1
      return altered.toString('base64url')
    }
    // Nonce, tag, text, and the last byte of each.
    const places = [0, 11, 12, 27, 28, bytes.length - 1]
    const cut = [0, 11, 28, bytes.length - 1].map((end) => bytes.toString('base64url', 0, end))
    for (const altered of [...places.map(flipped), ...cut, `${sealed}AAAA`]) {
      await database.kysely.updateTable('stored_items').set({ sealed: altered }).execute()
      expect(await open().load(USER, [NAME]), altered).toEqual([])
    }
    await database.kysely.updateTable('stored_items').set({ sealed }).execute()
    expect(await open().load(USER, [NAME])).toHaveLength(1)
  })

  test('is waited for by its own user, whatever others store meanwhile', async () => {
    const { open } = await setUp(kind)
    const stored = open()
    const keep = (user: number, id: string) => stored.recentItems?.of(user).keep([{ ...ITEM, id }])
    keep(USER, 'msg_1')
    let isWritten = false
    void stored.written(USER)?.then(() => (isWritten = true))
    expect(stored.written(USER + 1)).toBeUndefined()
    // Others' entries never leave the queue empty.
    const deadline = performance.now() + WRITTEN_WITHIN_MS
    for (let count = 0; performance.now() < deadline && !isWritten; count += 1) {
      keep(USER + 1, `msg_${count}`)
      await setImmediate()
    }
    expect(isWritten).toBe(true)
    expect(stored.written(USER)).toBeUndefined()
    await stored.flushed()
  })

  test('is not read if it is longer than any request may be', async () => {
    const { database, open, keep } = await setUp(kind)
    await keep()
    await database.kysely.updateTable('stored_items').set({ bytes: 9_000_000 }).execute()
    await expect(open().load(USER, [NAME])).rejects.toMatchObject({ status: 400 })
  })

  test('is stored no faster than the oldest of it is deleted', async () => {
    const { open, rows } = await setUp(kind)
    const stored = open()
    const content = 'x'.repeat(1_900_000)
    for (let count = 0; count < 40; count += 1) {
      stored.recentItems?.of(USER).keep([{ ...ITEM, id: `msg_${count}`, content }])
      await stored.flushed()
    }
    expect(await rows()).toHaveLength(35)
    stored.recentItems?.of(USER + 1).keep([ITEM])
    await stored.flushed()
    expect(await rows()).toHaveLength(36)
  })

  test('is written together, and replaced by what comes later', async () => {
    const { open, keep, rows } = await setUp(kind)
    const stored = await keep()
    for (let count = 0; count < 450; count += 1)
      stored.recentItems?.of(count % 3).keep([{ ...ITEM, id: `msg_${count % 300}` }])
    await stored.flushed()
    expect(await rows()).toHaveLength(301)
    await keep({ ...ITEM, content: 'later' })
    const other = open()
    await other.load(USER, [NAME])
    expect(other.recentItems?.of(USER).find('msg_1')).toMatchObject({ content: 'later' })
  })

  test('is deleted when it has expired, and the oldest above the limits', async () => {
    const { database, time, keep, rows } = await setUp(kind)
    await keep({ ...ITEM, id: 'msg_old' })
    time.now += HOUR_MS
    await keep()
    await keep(ITEM, USER + 1)
    const [{ bytes } = { bytes: 0 }] = await rows()
    const now = Math.floor(time.now / 1000)
    await trimStoredItems(database.kysely, { now, userBytesMax: bytes * 1.5, bytesMax: 1e9 })
    expect(await rows()).toHaveLength(2)
    await trimStoredItems(database.kysely, { now, userBytesMax: 1e9, bytesMax: bytes * 1.5 })
    expect(await rows()).toHaveLength(1)
    time.now += 2 * HOUR_MS
    await trimStored({ database, now: () => time.now })
    expect(await rows()).toEqual([])
  })

  test('is kept nowhere if the option is 0', async () => {
    const { options, open } = await setUp(kind)
    options.hours = 0
    expect(open().recentItems).toBeNull()
  })

  test('is not reported as unknown while the database does not answer', async () => {
    const { database, open, keep } = await setUp(kind)
    const stored = await keep()
    await database.kysely.schema.dropTable('stored_items').execute()
    await expect(open().load(USER, [NAME])).rejects.toMatchObject({
      status: 503,
      code: 'database_unavailable',
    })
    stored.recentItems?.of(USER).keep([{ ...ITEM, id: 'msg_2' }])
    await stored.flushed()
    expect(stored.recentItems?.of(USER).find('msg_2')).not.toBeNull()
  })
})
