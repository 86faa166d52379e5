import { describe, expect, test } from 'vitest'
import { type BillMapping, billMappingSchema } from '@tollgate/contract'
import { indexColumns, readRow, suggestMapping } from './csv-mapping.ts'
import { type Delimiter, delimiterOf, hasOpenQuote, readRecords, splitAtLastRecord } from './csv.ts'
import { countOf, nanoOf, parseDecimal } from './decimal.ts'
import { comparableModel } from './model-name.ts'
import { nextMidnight, parseMoment } from './zoned-time.ts'

test.each([
  ['0.015', 15_000_000],
  ['1e-7', 100],
  ['-12.5', -12_500_000_000],
  ['.5', 500_000_000],
  ['0.0000000005', 1],
  ['0.0000000004', 0],
  ['9007199.254740991', Number.MAX_SAFE_INTEGER],
  ['9007199.254740992', null],
  ['1e999', null],
  ['', null],
  ['.', null],
  ['1,5', null],
  ['0x10', null],
  ['1e-99', 0],
])('the amount %s in 10^-9 units is %s', (text, expected) => {
  expect(nanoOf(text)).toBe(expected)
})

test('cents have two digits fewer, and counts are whole', () => {
  expect(parseDecimal('123.45678', 7)).toBe(1_234_567_800)
  expect([countOf('12'), countOf(3), countOf('1.5'), countOf('-1'), countOf('')]).toEqual([
    12,
    3,
    null,
    null,
    null,
  ])
})

const at = (text: string) => Date.parse(text) / 1000

test.each([
  ['1795000000', 'UTC', 1_795_000_000],
  ['1795000000123', 'UTC', 1_795_000_000],
  ['2026-11-20T10:00:00Z', 'Asia/Shanghai', at('2026-11-20T10:00:00Z')],
  ['2026-11-20 10:00:00+0800', 'UTC', at('2026-11-20T02:00:00Z')],
  ['2026-11-20 10:00:00 UTC', 'Asia/Shanghai', at('2026-11-20T10:00:00Z')],
  ['2026-11-20 10:00', 'Asia/Shanghai', at('2026-11-20T02:00:00Z')],
  ['2026/11/20', 'America/New_York', at('2026-11-20T05:00:00Z')],
  ['2026-07-01 00:00:00', 'America/New_York', at('2026-07-01T04:00:00Z')],
  ['2026-11-20 10:00', 'Asia/Kolkata', at('2026-11-20T04:30:00Z')],
])('%s in %s', (text, zone, seconds) => {
  expect(parseMoment(text, zone)).toMatchObject({ type: 'moment', seconds })
})

test.each([
  ['11/12/2026', 'ambiguous_time'],
  ['2026-02-30', 'not_a_time'],
  ['2026-13-01', 'not_a_time'],
  ['yesterday', 'not_a_time'],
  ['', 'not_a_time'],
])('the time %s is refused as %s', (text, problem) => {
  expect(parseMoment(text, 'UTC')).toEqual({ type: 'problem', problem })
})

test('days are as long as the clocks of their zone make them', () => {
  const hours = (day: string, zone: string) => {
    const moment = parseMoment(day, zone)
    const from = moment.type === 'moment' ? moment.seconds : 0
    return (nextMidnight(from, zone) - from) / 3600
  }
  expect(hours('2026-03-08', 'America/New_York')).toBe(23)
  expect(hours('2026-11-01', 'America/New_York')).toBe(25)
  expect(hours('2026-11-01', 'UTC')).toBe(24)
})

test.each([
  ['openai/gpt-6-astra-2026-03-05', 'gpt-6-astra'],
  ['claude-opus-4.6', 'claude-opus-4-6'],
  ['claude-opus-4-6-20260101', 'claude-opus-4-6'],
  ['models/gemini-4-pro', 'gemini-4-pro'],
  ['anthropic.claude-5-v1:0', 'anthropic.claude-5'],
  ['GPT-6.1', 'gpt-6.1'],
  ['mistral-large-3', 'mistral-large-3'],
  ['my deployment', 'gpt-6-astra'],
])('the model %s is compared as %s', (name, expected) => {
  expect(comparableModel(name, new Map([['my deployment', 'gpt-6-astra']]))).toBe(expected)
})

describe('CSV', () => {
  const fieldsOf = (text: string, delimiter: Delimiter = ','): (readonly string[])[] =>
    [...readRecords(text, delimiter)].map(({ fields }) => fields)

  test.each([
    ['plain lines', 'a,b\n1,2\n', ['a|b', '1|2']],
    ['Windows line ends and no last one', 'a,b\r\n1,2', ['a|b', '1|2']],
    ['quotes, line breaks and quotes in them', '"a, b","c\n""d"""\nx,y', ['a, b|c\n"d"', 'x|y']],
    ['empty fields and lines', ',\n\n,x\n', ['|', '|x']],
    ['a quoted empty field', '"",1\n', ['|1']],
    ['text after a closing quote', '"a"b,1\n', ['ab|1']],
  ])('%s', (_, text, expected) => {
    expect(fieldsOf(text).map((fields) => fields.join('|'))).toEqual(expected)
  })

  test('pieces of any size give the records of the whole', () => {
    const text = 'a,"b\nc"\n"d","e ""f"""\r\ng,h\n'
    for (let size = 1; size <= text.length; size += 1) {
      const found: (readonly string[])[] = []
      let rest = ''
      for (let start = 0; start < text.length; start += size) {
        const split = splitAtLastRecord(rest + text.slice(start, start + size))
        found.push(...fieldsOf(split.records))
        rest = split.rest
      }
      expect([...found, ...fieldsOf(rest)]).toEqual(fieldsOf(text))
    }
  })

  test('lines are numbered by the line breaks before them', () => {
    const lines = [...readRecords('a\n"b\nc"\n\nd', ',')].map(({ line }) => line)
    expect(lines).toEqual([1, 2, 5])
    expect([hasOpenQuote('"a""b"'), hasOpenQuote('"a""b')]).toEqual([false, true])
  })
})

describe('columns', () => {
  const mapping = (changes: Partial<BillMapping>) => billMappingSchema.parse(changes)
  const read = (
    headers: string,
    line: string,
    changes: Partial<BillMapping> = {},
    zone = 'UTC',
  ) => {
    const columns = headers.split(',')
    const guessed = { ...suggestMapping(columns, mapping({})), ...changes }
    const { indexes } = indexColumns(columns, guessed)
    const record = {
      line: 2,
      fields: [...readRecords(line, delimiterOf(headers))][0]?.fields ?? [],
    }
    return readRow(record, indexes, { mapping: guessed, zone, currency: 'USD' })
  }

  test('the headers of known exports are recognized', () => {
    const anthropic = {
      time: 'usage_date_utc',
      model: 'model_version',
      key: 'api_key',
      uncached: 'usage_input_tokens_no_cache',
      written: 'usage_input_tokens_cache_write',
      cached: 'usage_input_tokens_cache_read',
      output: 'usage_output_tokens',
      amount: 'cost_usd',
    }
    const ours = {
      time: '时间',
      model: '模型',
      key: '令牌',
      input: '输入',
      output: '输出',
      amount: '费用',
    }
    for (const known of [anthropic, ours]) {
      expect(suggestMapping(Object.values(known), mapping({}))).toMatchObject(known)
    }
  })

  test('a day is a day of its zone, and all input tokens are counted', () => {
    const headers = 'date,model,uncached_tokens,cache_read,cache_write,output_tokens,cost'
    const line = '2026-11-20,gpt-6,"1,000",200,30,50,$1.25'
    expect(read(headers, line, {}, 'Asia/Shanghai')).toEqual({
      use: {
        id: '',
        from: at('2026-11-19T16:00:00Z'),
        to: at('2026-11-20T16:00:00Z'),
        model: 'gpt-6',
        key: '',
        item: '',
        requests: null,
        input: 1230,
        cached: 200,
        written: 30,
        output: 50,
        amount: 1_250_000_000,
        currency: '',
      },
    })
    const comma = { decimal: ',' as const, span: 'hour' as const }
    expect(read('time,cost', '2026-11-20 10:00,"1.234,5"', comma)).toMatchObject({
      use: { to: at('2026-11-20T11:00:00Z'), amount: 1_234_500_000_000 },
    })
  })

  test.each([
    ['time,input,cost', 'soon,1.5,ten', ['not_a_time', 'not_a_count', 'not_a_number']],
    ['time,cost', '11/12/2026,1', ['ambiguous_time']],
    ['time,cost,currency', '2026-11-20,1,EUR', ['other_currency']],
    ['time,end,cost', '2026-11-20,2026-11-19,1', ['time_order']],
    ['time,model', '2026-11-20,gpt-6', ['empty']],
  ])('%s / %s is refused', (headers, line, expected) => {
    const row = read(headers, line)
    expect('problems' in row && row.problems.map(({ problem }) => problem)).toEqual(expected)
    expect('problems' in row && row.problems.every((found) => found.line === 2)).toBe(true)
  })

  test('a mapped column that the file lacks is named', () => {
    const { problems } = indexColumns(['a'], mapping({ time: 'a', amount: 'b' }))
    expect(problems).toEqual([{ line: 1, column: 'b', problem: 'no_column' }])
  })
})
