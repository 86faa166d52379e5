import { beforeAll, describe, expect, test } from 'vitest'
import { type AttemptRecord, billMappingSchema } from '@tollgate/contract'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import { openBatchWorld, request, settled } from '../../../testing/ledger/batch-world.ts'
import type { EndRecord } from '../../ledger/record.ts'
import { type BillSourceRow, readSource } from '../../settings/bills/bill-deps.ts'
import { compareSource } from '../../settings/bills/compare-source.ts'
import { addPart, firstReading } from '../../settings/bills/import-file.ts'
import { pullBill } from '../../settings/bills/pull-bill.ts'
import { beginImport } from '../../settings/bills/run-import.ts'
import { findImport } from '../../store/bill-imports.ts'
import { insertSource } from '../../store/bill-sources.ts'
import { listBilledRows } from './billed-rows.ts'
import { requireSource } from './change-sources.ts'

/*
 * Two weeks of traffic over three channels, written through the ledger's own batches, and the three
 * bills that their providers would send.
 */

const DAY = 86_400
const HOUR = 3600
const START = Date.UTC(2026, 10, 2) / 1000
const DAYS = 14
/** Characters of one part of a file. */
const PART = 250_000
const MODELS = ['gpt-6', 'claude-5'] as const

/** Nano-dollars per token: input, cached input, output. */
const PRICES = { 'gpt-6': [2000, 200, 8000], 'claude-5': [3000, 300, 15_000] } as const

type Model = (typeof MODELS)[number]

type Use = {
  channel: number
  model: Model
  at: number
  input: number
  cached: number
  output: number
}

const costOf = ({ model, input, cached, output }: Use) => {
  const [price, cachedPrice, outputPrice] = PRICES[model]
  return (input - cached) * price + cached * cachedPrice + output * outputPrice
}

const attempt = (use: Use, changes: Partial<AttemptRecord> = {}): AttemptRecord => ({
  channel: use.channel,
  status: 200,
  reason: '',
  milliseconds: 700,
  model: use.model,
  key: `key${use.channel}`,
  prompt_tokens: use.input,
  cached_tokens: use.cached,
  completion_tokens: use.output,
  cost: costOf(use),
  cost_source: 'list',
  ...changes,
})

/** A line of a bill in dollars, with the tokens of its kinds. */
const lineOf = (use: Use, time: string, amount = costOf(use)) =>
  [time, use.model, use.input, use.cached, use.output, amount / 1e9].join(',')

const iso = (seconds: number) => new Date(seconds * 1000).toISOString()

describe.each(DATABASES)('two weeks of traffic on %s', (kind) => {
  const world = openOnce(() => openBatchWorld(kind))
  let [user, token] = [0, 0]
  /** Bills by hour, by request, and by day. */
  let [hourly, single, daily] = [0, 0, 0]
  const uses: Use[] = []

  const record = (at: number, channel: number, attempts: AttemptRecord[], model = 'gpt-6') =>
    settled(request(user, token, { model }), 1, { at, channel, attempts })

  /** A request every hour and channel; some have a hedge that lost, some a failover. */
  function traffic(): EndRecord[] {
    const records: EndRecord[] = []
    const recordOne = (channel: number, index: number) => {
      const at = START + Math.floor(index / 3) * HOUR + 1200
      const model = MODELS[index % 2] ?? 'gpt-6'
      const use = { channel, model, at, input: 1000 + index, cached: index % 500, output: 90 }
      const tried = [attempt(use)]
      uses.push(use)
      if (index % 7 === 0) {
        const lost = { ...use, channel: single, output: 3 }
        tried.push(attempt(lost, { hedged: true, reason: 'overtaken' }))
        uses.push(lost)
      }
      if (index % 11 === 0) {
        const broken = { ...use, channel: hourly, output: 20 }
        tried.unshift(attempt(broken, { reason: 'broken_stream' }))
        uses.push(broken)
      }
      records.push(record(at, channel, tried, model))
    }
    for (let index = 0; index < DAYS * 24 * 3; index += 1) {
      recordOne([hourly, single, daily][index % 3] ?? hourly, index)
    }
    return records
  }

  beforeAll(async () => {
    user = await world.addUser(100_000)
    token = await world.addToken(user)
    hourly = await world.addChannel()
    single = await world.addChannel()
    daily = await world.addChannel()
    const records = traffic()
    for (let first = 0; first < records.length; first += 300) {
      await world.node.flush({ records: records.slice(first, first + 300) })
    }
  })

  const deps = () => ({
    database: world.database,
    secrets: { openOption: (text: string) => text },
    fetchJson: async () => ({ status: 404, json: null }),
    now: () => (START + (DAYS + 2) * DAY) * 1000,
  })

  const source = (
    channel: number,
    fields: { name: string; kind?: string; currency?: string; rate?: string },
  ) =>
    world.database.transaction(async (tx) => {
      const { name, kind: of = 'csv', currency = 'USD', rate = '1' } = fields
      const texts = { name, kind: of, url: '', key_sealed: '', account: '', currency, rate }
      const tables = { channels: JSON.stringify([channel]), aliases: '{}', keys: '{}' }
      const numbers = { every_hours: 0, alert_percent: 1, created_at: START }
      const id = await insertSource(tx, { ...texts, ...tables, ...numbers, zone: 'UTC' })
      return readSource(await requireSource(tx, id))
    })

  async function imported(
    name: string,
    lines: readonly string[],
    changes: { channel: number; span: 'moment' | 'hour' | 'day'; currency?: string; rate?: string },
  ): Promise<BillSourceRow> {
    const { channel, span, ...rest } = changes
    const bill = await source(channel, { name, ...rest })
    const columns = ['time', 'model', 'input', 'cached', 'output', 'amount']
    const named = Object.fromEntries(columns.map((name) => [name, name]))
    const mapping = billMappingSchema.parse({ ...named, span })
    const importId = await world.database.transaction((tx) =>
      beginImport(deps(), tx, bill, { file: name, reading: firstReading(mapping) }),
    )
    const text = [columns.join(','), ...lines, ''].join('\n')
    for (let start = 0; start < text.length; start += PART) {
      const stored = await findImport(world.database.kysely, importId ?? 0)
      if (stored === undefined) throw new Error('the import has not begun')
      const part = { text: text.slice(start, start + PART), last: start + PART >= text.length }
      await addPart(deps(), bill, stored, part)
    }
    expect(await findImport(world.database.kysely, importId ?? 0)).toMatchObject({
      state: 'done',
      rows: lines.length,
      added: lines.length,
      reading: '',
    })
    return bill
  }

  const period = { from: START, to: START + DAYS * DAY }
  const compare = (source: BillSourceRow) => compareSource(world.database, source, period)
  const of = (channel: number) => uses.filter((use) => use.channel === channel)

  /** Sums by interval and model, as providers bill them. */
  function summed(list: readonly Use[], seconds: number): Use[] {
    const sums = new Map<string, Use>()
    for (const use of list) {
      const at = Math.floor(use.at / seconds) * seconds
      const nothing = { ...use, at, input: 0, cached: 0, output: 0 }
      const before = sums.get(`${at} ${use.model}`) ?? nothing
      sums.set(`${at} ${use.model}`, {
        ...before,
        input: before.input + use.input,
        cached: before.cached + use.cached,
        output: before.output + use.output,
      })
    }
    return [...sums.values()]
  }

  test('bills that agree have no difference, with hedges, failovers and cached tokens', async () => {
    const byHour = summed(of(hourly), HOUR).map((use) => lineOf(use, iso(use.at)))
    const first = await compare(await imported('hourly', byHour, { channel: hourly, span: 'hour' }))
    const byRequest = of(single).map((use) => lineOf(use, iso(use.at)))
    const second = await compare(
      await imported('single', byRequest, { channel: single, span: 'moment' }),
    )
    for (const { summary, differences } of [first, second]) {
      expect(differences).toEqual([])
      expect(summary).toMatchObject({ difference: 0, percent: 0, unknown: 0 })
    }
    const total = of(hourly).reduce((sum, use) => sum + costOf(use), 0)
    expect(first.summary.recorded).toBe(total)
  })

  test('a provider that bills 2 % more is found on every day, in its own currency', async () => {
    const lines = summed(of(daily), DAY).map((use) =>
      lineOf(use, iso(use.at).slice(0, 10), (costOf(use) * 1.02) / 0.125),
    )
    const given = { channel: daily, span: 'day', currency: 'CNY', rate: '0.125' } as const
    const { summary, differences } = await compare(await imported('daily', lines, given))
    expect(summary.percent).toBe(2)
    const none = { tokens: 0, unrecorded: 0, unbilled: 0, cost_unknown: 0 }
    expect(summary.counts).toEqual({ ...none, price: DAYS * MODELS.length })
    const sum = differences.reduce((gap, { billed, recorded }) => gap + (billed ?? 0) - recorded, 0)
    expect(sum).toBe(summary.difference)
  })

  test('single wrong requests are found in their hour and shown as log rows', async () => {
    const list = of(single)
    const [twice, missing] = [list[40], list[41]]
    if (twice === undefined || missing === undefined) throw new Error('there is too little traffic')
    const unrecorded = { ...twice, at: START + 9 * DAY + 5, model: 'claude-5', input: 7 } as const
    const lines = list
      .filter((use) => use !== missing)
      .map((use) => lineOf(use, iso(use.at)))
      .concat(
        lineOf(twice, iso(twice.at + 1)),
        lineOf({ ...unrecorded, at: 0 }, iso(unrecorded.at)),
      )
    const bill = await imported('wrong', lines, { channel: single, span: 'moment' })
    const { differences, summary } = await compare(bill)
    const hourOf = ({ at }: Use) => Math.floor(at / HOUR) * HOUR
    const found = differences.map(({ kind: what, start, model }) => `${what} ${start} ${model}`)
    expect(new Set(found)).toEqual(
      new Set([
        `tokens ${hourOf(twice)} ${twice.model}`,
        `${kindOfMissing(missing)} ${hourOf(missing)} ${missing.model}`,
        `${kindOf(unrecorded)} ${hourOf(unrecorded)} ${unrecorded.model}`,
      ]),
    )
    expect(summary.difference).toBe(costOf(twice) - costOf(missing) + costOf(unrecorded))
    const [line] = differences.filter(({ start }) => start === hourOf(missing))
    if (line === undefined) throw new Error('the missing request was not found')
    const { rows, next } = await listBilledRows({ database: world.database }, bill.id, {
      start_timestamp: line.start,
      end_timestamp: line.end,
      model: line.model,
      channel: line.channel,
      before: 0,
    })
    expect(next).toBe(0)
    expect(rows.map(({ cost, input }) => ({ cost, input }))).toContainEqual({
      cost: costOf(missing),
      input: missing.input,
    })
    const inHour = of(single).filter(
      (use) => hourOf(use) === line.start && use.model === missing.model,
    )
    expect(rows.reduce((sum, row) => sum + row.attempts, 0)).toBe(inHour.length)
  })

  test('the log of another gateway is read page by page and summed by hour', async () => {
    const list = of(hourly)
    const rowOf = (use: Use) => ({
      created_at: use.at,
      type: 2,
      model_name: use.model,
      quota: Math.round(costOf(use) / 2000),
      prompt_tokens: use.input,
      completion_tokens: use.output,
      other: JSON.stringify({ cache_tokens: use.cached }),
    })
    const fetchJson = async ({ url }: { url: string }) => {
      const page = new URL(url).searchParams.get('p')
      const rows = list.slice(Number(page) * 100, Number(page) * 100 + 100).map(rowOf)
      const json = page === null ? { data: { quota_per_unit: 5e5 } } : { success: true, data: rows }
      return { status: 200, json }
    }
    const bill = await source(hourly, { name: 'gateway', kind: 'gateway' })
    const given = { ...deps(), fetchJson }
    const importId = await world.database.transaction((tx) =>
      beginImport(given, tx, bill, { file: '', reading: '' }),
    )
    const run = { importId: importId ?? 0, span: period, signal: new AbortController().signal }
    await pullBill(given, { ...bill, url: 'http://gateway' }, run)
    const hours = new Set(list.map(({ at, model }) => `${Math.floor(at / HOUR)} ${model}`)).size
    expect(await findImport(world.database.kysely, run.importId)).toMatchObject({
      state: 'done',
      rows: list.length,
      added: hours,
    })
    expect(await compare(bill)).toMatchObject({ differences: [] })
  })

  test('a long file is read in parts, in seconds', { timeout: 60_000 }, async () => {
    const count = 20_000
    const lines = Array.from({ length: count }, (_, index) => {
      const at = START + (index % (DAYS * DAY))
      return lineOf({ ...many, model: MODELS[index % 2] ?? 'gpt-6', input: index }, iso(at), 1e6)
    })
    const started = performance.now()
    const bill = await imported('long', lines, { channel: 99, span: 'moment' })
    expect(performance.now() - started).toBeLessThan(30_000)
    expect((await compare(bill)).summary.billed).toBe(count * 1e6)
  })

  const many: Use = { channel: 99, model: 'gpt-6', at: 0, input: 0, cached: 0, output: 10 }

  /** The hour may have other requests at the model, besides the one that is wrong. */
  const others = (use: Use) =>
    of(single).filter(
      (other) =>
        other !== use &&
        other.model === use.model &&
        Math.floor(other.at / HOUR) === Math.floor(use.at / HOUR),
    )
  const kindOfMissing = (use: Use) => (others(use).length === 0 ? 'unbilled' : 'tokens')
  const kindOf = (use: Use) => (others(use).length === 0 ? 'unrecorded' : 'tokens')
})
