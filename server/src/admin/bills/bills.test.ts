import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { billEndpoints, type BillMapping, errorText, ROLE } from '@tollgate/contract'
import { portOf } from '../../../testing/harness/port-of.ts'
import {
  idOf,
  idsOf,
  openControlPlane,
  type Person,
} from '../../../testing/worlds/control-plane.ts'
import { describeWorlds } from '../../../testing/worlds/describe-planes.ts'
import { logRow } from '../../../testing/worlds/log-row.ts'
import { outboxOf } from '../../../testing/worlds/outbox.ts'
import { storedRows } from '../../../testing/worlds/rows.ts'
import { importDueBills } from '../../jobs/import-bills.ts'

const DAY = 86_400
const HOUR = 3600
const NOON = Date.UTC(2026, 10, 20, 12) / 1000
const MIDNIGHT = NOON - 12 * HOUR

describeWorlds(openControlPlane, 'bills on %s', (plane) => {
  let admin: Person
  let server: Server
  let url: string
  let asked: { url: string; headers: IncomingHttpHeaders }[]
  /** What the vendor answers. */
  let answer: (url: URL) => { status?: number; json: unknown }

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push({ url: request.url ?? '', headers: request.headers })
      const { status = 200, json } = answer(new URL(request.url ?? '', 'http://vendor'))
      response.writeHead(status).end(JSON.stringify(json))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${portOf(server)}`
  })
  afterAll(() => {
    server.close()
  })
  beforeEach(async () => {
    plane.clock.now = (MIDNIGHT + 3 * DAY) * 1000
    asked = []
    admin = await plane.addPerson(ROLE.admin)
    for (const id of idsOf(await plane.call('GET', '/api/bill/source/', { as: admin }))) {
      await plane.call('DELETE', `/api/bill/source/${id}`, { as: admin })
    }
    await plane.database.kysely.deleteFrom('outbox').execute()
    await plane.database.kysely.deleteFrom('provider_hours').execute()
  })

  const post = (path: string, body: object) => plane.call('POST', path, { as: admin, body })
  const get = (path: string) => plane.call('GET', path, { as: admin })
  const send = (fields: object) =>
    post('/api/bill/source/', { name: 'bill', kind: 'csv', channels: [1], ...fields })
  const create = async (fields: object = {}) => idOf(await send(fields))
  const compare = async (id: number, from = MIDNIGHT, to = MIDNIGHT + DAY) => {
    const query = `start_timestamp=${from}&end_timestamp=${to}`
    const { data } = await get(`/api/bill/source/${id}/compare?${query}`)
    return billEndpoints.compareBill.parts.data.parse(data)
  }
  const sources = async () => {
    const { data } = await get('/api/bill/source/')
    return billEndpoints.listBillSources.parts.data.parse(data)
  }
  /** Recorded use of channel 1 in the hour of `at`. */
  const record = (at: number, changes: object = {}) =>
    plane.database.kysely
      .insertInto('provider_hours')
      .values({
        channel_id: 1,
        hour: at / HOUR,
        model_name: 'gpt-6',
        key: 'f1',
        attempts: 1,
        unknown: 0,
        input_tokens: 100,
        cached_tokens: 0,
        written_tokens: 0,
        output_tokens: 10,
        cost: 2_000_000_000,
        ...changes,
      })
      .execute()
  const alerts = () => outboxOf(plane)

  describe('a file', () => {
    const COLUMNS = { time: 'time', model: 'model', output: 'out', input: 'in', amount: 'cost' }
    const HEADER = 'time,model,in,out,cost\n'

    const upload = async (
      id: number,
      parts: readonly string[],
      mapping: Partial<BillMapping> = {},
    ) => {
      const body = { id, file: 'bill.csv', mapping: { ...COLUMNS, ...mapping } }
      const begun = await post('/api/bill/import/', body)
      const importId = idOf(begun)
      let last = begun
      for (const [part, text] of parts.entries()) {
        const body = { id: importId, part, text, last: part === parts.length - 1 }
        last = await post('/api/bill/import/part', body)
      }
      return billEndpoints.addBillPart.parts.data.parse(last.data)
    }

    test('is previewed, imported in parts, and compared by hour', async () => {
      const id = await create()
      const text = `${HEADER}2026-11-20T12:05:00Z,gpt-6,100,10,2.04\n`
      const preview = await post('/api/bill/preview', { id, text })
      expect(preview.data).toMatchObject({
        columns: ['time', 'model', 'in', 'out', 'cost'],
        mapping: { time: 'time', model: 'model', amount: 'cost' },
        rows: [{ from: NOON + 300, model: 'gpt-6', amount: 2_040_000_000 }],
        problems: [],
      })
      await record(NOON)
      const imported = await upload(id, [text.slice(0, 40), text.slice(40)])
      const sums = { rows: 1, added: 1, repeated: 0 }
      expect(imported).toMatchObject({ ...sums, state: 'done', problems: [] })
      expect(await compare(id)).toMatchObject({
        summary: {
          billed: 2_040_000_000,
          recorded: 2_000_000_000,
          difference: 40_000_000,
          percent: 2,
          counts: { price: 1, tokens: 0, unbilled: 0, unrecorded: 0 },
          covers_from: NOON,
          covers_to: NOON + HOUR,
        },
        differences: [{ kind: 'price', start: NOON, end: NOON + HOUR, model: 'gpt-6', channel: 1 }],
      })
      expect(await sources()).toMatchObject([{ mapping: COLUMNS, imports: [{ state: 'done' }] }])
    })

    test('overlapping files count no line twice, and a restated line replaces its version', async () => {
      const id = await create()
      const day = (date: number, cost: string) => `2026-11-${date},gpt-6,100,10,${cost}\n`
      const requests = '2026-11-20 12:00:00,gpt-5,1,1,0.1\n'.repeat(2)
      await upload(id, [HEADER + day(18, '1') + day(19, '1') + requests])
      const second = await upload(id, [HEADER + requests + day(19, '1.5') + day(20, '1')])
      expect(second).toMatchObject({ rows: 4, added: 1, repeated: 3 })
      const { summary } = await compare(id, MIDNIGHT - 3 * DAY, MIDNIGHT + DAY)
      expect(summary.billed).toBe(3_700_000_000)
    })

    test('lines with an id are one line, however often the file has them', async () => {
      const id = await create()
      const line = (time: string) => `${time},gpt-6,1,1,1,r1\n`
      const text = `time,model,in,out,cost,id\n${line('2026-11-20 12:00:00')}${line('2026-11-20 12:00:01')}`
      expect(await upload(id, [text], { id: 'id' })).toMatchObject({ rows: 2, added: 1 })
    })

    test('a bad line imports nothing, and says where and why', async () => {
      const id = await create()
      await upload(id, [`${HEADER}2026-11-20,gpt-6,100,10,1\n`])
      const bad = `${HEADER}2026-11-20,gpt-6,100,10,9\nsoon,gpt-6,x,10,1\n2026-11-20,gpt-6\n`
      expect(await upload(id, [bad])).toMatchObject({
        state: 'failed',
        problems: [
          { line: 3, column: 'time', problem: 'not_a_time' },
          { line: 3, column: 'in', problem: 'not_a_count' },
          { line: 4, column: '', problem: 'column_count' },
        ],
      })
      expect((await compare(id)).summary.billed).toBe(1_000_000_000)
      expect(await storedRows(plane, 'bill_staged')).toEqual([])
      expect(await upload(id, [HEADER])).toMatchObject({ state: 'failed', problems: [{ line: 0 }] })
      expect(await upload(id, [`${HEADER}"2026-11-20,gpt-6,1,1,1\n`])).toMatchObject({
        problems: [{ line: 1, problem: 'unclosed_quote' }],
      })
    })

    test('parts come in order, a repeated part changes nothing, and one import runs at a time', async () => {
      const id = await create()
      const body = { id, file: 'a.csv', mapping: COLUMNS }
      const importId = idOf(await post('/api/bill/import/', body))
      const part = (number: number, text: string, last = false) =>
        post('/api/bill/import/part', { id: importId, part: number, text, last })
      const line = `${HEADER}2026-11-20,gpt-6,1,1,1\n`
      const second = await post('/api/bill/import/', body)
      expect(second.message).toBe(errorText('bill_import_active', {}, 'en'))
      expect((await part(1, 'x')).message).toBe(errorText('bill_part_expected', { part: 0 }, 'en'))
      await part(0, line)
      expect((await part(0, line)).data).toMatchObject({ rows: 1 })
      expect((await part(1, '', true)).data).toMatchObject({ state: 'done', rows: 1, added: 1 })
      expect((await part(2, 'x')).message).toBe(errorText('bill_import_ended', {}, 'en'))
    })

    test('days of another zone and money of another currency are converted by given rules', async () => {
      const id = await create({ zone: 'Asia/Shanghai', currency: 'CNY', rate: '0.14' })
      await record(MIDNIGHT - 8 * HOUR, { cost: 1_400_000_000 })
      await upload(id, [`${HEADER}2026-11-20,gpt-6,100,10,10\n`])
      const { summary } = await compare(id, MIDNIGHT - DAY)
      expect(summary).toMatchObject({ billed: 1_400_000_000, recorded: 1_400_000_000, percent: 0 })
      expect(Object.values(summary.counts)).toEqual([0, 0, 0, 0, 0])
      expect((await send({ rate: '0.9' })).message).toContain('must be 1 for USD')
      expect((await send({ zone: 'Moon' })).message).toContain('time zone')
    })
  })

  describe('an API', () => {
    const costs = (start: number, value: number, currency = 'usd') => {
      const tokens = { line_item: 'gpt-6, input', quantity: 100, quantity_unit: 'tokens' }
      const results = [{ amount: { value, currency }, api_key_id: 'key_1', ...tokens }]
      const data = [{ start_time: start, end_time: start + DAY, results }]
      return { object: 'page', data, has_more: false, next_page: null }
    }
    const openai = (fields: object = {}) =>
      create({ kind: 'openai_costs', url, key: 'sk-admin-1', ...fields })
    const ended = async () => {
      await expect.poll(async () => (await sources())[0]?.imports[0]?.state).not.toBe('running')
      return (await sources())[0]
    }
    const pull = async (id: number, from = MIDNIGHT, to = MIDNIGHT + DAY) => {
      await post('/api/bill/import/pull', { id, start_timestamp: from, end_timestamp: to })
      return (await ended())?.imports[0]
    }
    const pullDue = () => {
      const { database, secrets } = plane
      const fetchJson = async (question: { url: string }) => ({
        status: 200,
        ...answer(new URL(question.url)),
      })
      const times = { pause: () => Promise.resolve(), now: () => plane.clock.now }
      const { signal } = new AbortController()
      return importDueBills({ database, secrets, fetchJson, ...times }, signal)
    }

    test('is asked with the sealed key, and a repeated import replaces its period', async () => {
      const id = await openai()
      answer = () => ({ json: costs(MIDNIGHT, 2) })
      expect(await pull(id)).toMatchObject({ state: 'done', rows: 1, added: 1 })
      expect(asked).toMatchObject([{ headers: { authorization: 'Bearer sk-admin-1' } }])
      answer = () => ({ json: costs(MIDNIGHT, 1.5) })
      expect(await pull(id)).toMatchObject({ state: 'done', added: 0, repeated: 1 })
      expect((await compare(id)).summary.billed).toBe(1_500_000_000)
      answer = () => ({ json: { ...costs(MIDNIGHT, 1), data: [] } })
      await pull(id)
      expect((await compare(id)).summary.billed).toBeNull()
      const shown = (await get('/api/bill/source/')).text
      const stored = JSON.stringify(await storedRows(plane, 'bill_sources'))
      expect(shown + stored).not.toContain('sk-admin-1')
    })

    test.each([
      ['an error', { status: 401, json: {} }, 'the server answered HTTP 401'],
      ['another form', { json: { data: 1 } }, 'the answer is not in the form of this API'],
      ['another currency', { json: costs(MIDNIGHT, 1, 'eur') }, 'the provider bills in EUR'],
    ])('%s keeps what was imported and says why', async (_, next, reason) => {
      const id = await openai()
      answer = () => ({ json: costs(MIDNIGHT, 2) })
      await pull(id)
      answer = () => next
      expect(await pull(id)).toMatchObject({
        state: 'failed',
        error: expect.stringContaining(reason),
      })
      expect((await compare(id)).summary.billed).toBe(2_000_000_000)
    })

    test('a key is not sent to another address, and a file has no API', async () => {
      const id = await openai()
      const put = (body: object) =>
        plane.call('PUT', '/api/bill/source/', { as: admin, body: { id, channels: [1], ...body } })
      const moved = await put({ name: 'bill', kind: 'openai_costs', url: 'http://b.example' })
      expect(moved).toMatchObject({ success: false })
      const kept = await put({ name: 'new', kind: 'openai_costs', url })
      expect(kept.data).toMatchObject({ name: 'new', key_set: true })
      const file = await create({ name: 'file' })
      const span = { start_timestamp: MIDNIGHT, end_timestamp: NOON }
      const ofFile = await post('/api/bill/import/pull', { id: file, ...span })
      expect(ofFile.message).toBe(errorText('bill_has_no_api', {}, 'en'))
      const future = { start_timestamp: NOON + 9 * DAY, end_timestamp: NOON + 10 * DAY }
      const tooEarly = await post('/api/bill/import/pull', { id, ...future })
      expect(tooEarly.message).toBe(errorText('bill_period_not_over', {}, 'en'))
      expect((await send({ name: 'g', kind: 'gateway' })).success).toBe(false)
    })

    test('is imported at its interval, and a gap alerts once', async () => {
      await openai({ every_hours: 24, alert_percent: 1 })
      await record(MIDNIGHT, { cost: 2_000_000_000, output_tokens: 0 })
      answer = () => ({ json: costs(MIDNIGHT, 2.04) })
      await pullDue()
      await pullDue()
      expect(await alerts()).toEqual([
        {
          type: 'price-alert',
          event: 'bill_differs',
          name: 'bill',
          detail: expect.stringContaining(': $2.04 billed, $2.00 recorded (+2 %).'),
          detail_zh: expect.stringContaining('：账单 $2.04，记录 $2.00（+2 %）。'),
        },
      ])
      plane.clock.now += DAY * 1000
      await pullDue()
      expect(await alerts()).toHaveLength(1)
      plane.clock.now += DAY * 1000
      answer = () => ({ json: costs(MIDNIGHT, 2.01) })
      await pullDue()
      plane.clock.now += DAY * 1000
      answer = () => ({ json: costs(MIDNIGHT, 2.04) })
      await pullDue()
      expect(await alerts()).toHaveLength(2)
      plane.clock.now += DAY * 1000
      answer = () => ({ status: 500, json: {} })
      await pullDue()
      plane.clock.now += DAY * 1000
      await pullDue()
      const failed = { event: 'bill_failed', detail: 'Reason: the server answered HTTP 500.' }
      expect((await alerts()).slice(2)).toMatchObject([failed])
    })
  })

  test('log rows are found by their attempts', async () => {
    const id = await create({ channels: [1, 2] })
    const insert = (request: string, at: number, ...attempts: { channel: number }[]) => {
      const cost = { cost: 5, cost_source: 'list', prompt_tokens: 3 }
      const tried = { status: 200, reason: '', milliseconds: 1, model: 'gpt-6-2026-03-05', ...cost }
      const all = attempts.map((one) => ({ ...one, ...tried }))
      const row = { ...logRow(request, at), attempts: JSON.stringify(all) }
      return plane.database.kysely.insertInto('logs').values(row).execute()
    }
    await insert('a', NOON, { channel: 1 }, { channel: 2 }, { channel: 12 })
    await insert('b', NOON + HOUR, { channel: 1 })
    await insert('c', NOON + 1, { channel: 12 })
    const rows = async (query: string) => {
      const span = `start_timestamp=${NOON}&end_timestamp=${NOON + HOUR}`
      return get(`/api/bill/source/${id}/rows?${span}&${query}`)
    }
    expect((await rows('model=gpt-6')).data).toMatchObject([
      { request_id: 'a', attempts: 2, input: 6, cost: 10 },
    ])
    expect((await rows('channel=2')).data).toMatchObject([{ attempts: 1, cost: 5 }])
    expect(await rows('model=gpt-5')).toMatchObject({ data: [], next: 0 })
    expect((await rows('channel=12')).data).toEqual([])
  })

  test('a name is taken once, and a change leaves a note', async () => {
    const id = await create()
    expect((await send({})).message).toBe(errorText('bill_name_taken', {}, 'en'))
    expect((await compare(id)).summary).toMatchObject({ billed: null, covers_to: 0 })
    const notes = await storedRows(plane, 'logs')
    expect(notes.at(-1)?.content).toBe('Bill source "bill" created')
    const query = `start_timestamp=${MIDNIGHT}&end_timestamp=${NOON}`
    expect((await get(`/api/bill/?${query}`)).data).toMatchObject([
      { source_id: id, difference: null },
    ])
  })
})
