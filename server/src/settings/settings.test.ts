import { Writable } from 'node:stream'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { OPTIONS } from '@tollgate/contract'
import { DATABASES, openTestDatabase } from '../../testing/databases.ts'
import { type Database, openDatabase } from '../store/database.ts'
import { openSettings } from './settings.ts'

describe.each(DATABASES)('on %s', (kind) => {
  let place: Awaited<ReturnType<typeof openTestDatabase>>
  let database: Database
  let lines: string[]
  let log: pino.Logger

  beforeEach(async () => {
    place = await openTestDatabase(kind)
    database = await openDatabase(place)
    lines = []
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        lines.push(String(chunk))
        done()
      },
    })
    log = pino(stream)
  })

  afterEach(async () => {
    await database.close()
    await place.close()
  })

  test('an empty database has the defaults', async () => {
    const settings = await openSettings(database, log)
    const current = settings.current()
    expect(current.SystemName).toBe('Tollgate')
    expect(current.GroupRatio).toEqual(OPTIONS.GroupRatio.default)
    expect(settings.list()).toHaveLength(Object.keys(OPTIONS).length)
    expect(lines).toEqual([])
  })

  test('a value is stored, used at once, and still there after a restart', async () => {
    const settings = await openSettings(database, log)
    expect(await settings.update('RetryTimes', ' 7 ', 'en')).toBeNull()
    expect(await settings.update('ModelRatio', '{"gpt-4o": 2.5}', 'en')).toBeNull()
    expect(await settings.update('DefaultModelRatio', '', 'en')).toBeNull()
    expect(await settings.update('ServerAddress', 'https://example.org/', 'en')).toBeNull()
    const again = await openSettings(database, log)
    for (const { current } of [settings, again]) {
      expect(current()).toMatchObject({
        RetryTimes: 7,
        ModelRatio: { 'gpt-4o': 2.5 },
        DefaultModelRatio: null,
        ServerAddress: 'https://example.org',
      })
    }
    expect(lines).toEqual([])
  })

  test.each([
    ['RetryTimes', '11'],
    ['RetryTimes', 'many'],
    ['RetryTimes', ''],
    ['ModelRatio', '{"gpt-4o": -1}'],
    ['ModelRatio', '{"gpt-4o": 1'],
    ['ModelRatio', '[]'],
    ['GroupRatio', '{}'],
    ['LogConsumeEnabled', 'yes'],
    ['ServerAddress', 'javascript:alert(1)'],
    ['SystemName', '   '],
  ] as const)('%s is refused as %j, with a reason, and stays as it was', async (key, text) => {
    const settings = await openSettings(database, log)
    const before = settings.list()
    const refusal = await settings.update(key, text, 'en')
    expect(refusal?.problem).toMatch(/./)
    expect(settings.list()).toEqual(before)
    expect(await database.kysely.selectFrom('options').selectAll().execute()).toEqual([])
  })

  test('characters that a database refuses are left out of a text', async () => {
    const settings = await openSettings(database, log)
    expect(await settings.update('Notice', 'a\0b\ud800', 'en')).toBeNull()
    expect(settings.current().Notice).toBe('ab\ufffd')
  })

  test('a broken stored value falls back to its default, with one line in the log', async () => {
    await database.kysely
      .insertInto('options')
      .values([
        { key: 'RetryTimes', value: 'broken' },
        { key: 'SystemName', value: 'Mine' },
        { key: 'OptionOfAnotherVersion', value: '1' },
      ])
      .execute()
    const settings = await openSettings(database, log)
    expect(settings.current()).toMatchObject({ RetryTimes: 3, SystemName: 'Mine' })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('RetryTimes')
  })

  test('a change made elsewhere is obeyed soon after', async () => {
    const settings = await openSettings(database, log)
    const elsewhere = await openDatabase(place)
    const theirs = await openSettings(elsewhere, log)
    await theirs.update('SystemName', 'Renamed', 'en')
    await expect.poll(() => settings.current().SystemName, { timeout: 5000 }).toBe('Renamed')
    await elsewhere.close()
  })
})
