import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { changesState, type Endpoint, ROLE } from '@tollgate/contract'
import { everyRow } from '../../testing/harness/dump-tables.ts'
import { waitUntil } from '../../testing/harness/wait-until.ts'
import { type Answer, newAddress, type Person } from '../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../testing/worlds/describe-planes.ts'
import { pathOf, withBody, withParams, withQuery } from '../../testing/worlds/endpoint-lists.ts'
import { storedRows } from '../../testing/worlds/rows.ts'
import type { JsonSchema } from './api-document/describe.ts'
import { exampleOf } from './api-document/examples.ts'

const LONG = 20_000
const HALF_CHARACTER = 'a\ud800'
const NUL = 'a\0b'
const BEYOND_INT64 = 2 ** 63

/** JSON values; a field accepts only values of its own type. */
const VALUES: [string, unknown][] = [
  ['a number', 7],
  ['a negative number', -5],
  ['a fraction', 1.5],
  ['a huge number', 1e300],
  ['more than 64 bits', BEYOND_INT64],
  ['true', true],
  ['an array', ['x']],
  ['an object', { id: 1 }],
  ['nothing between the quotes', ''],
  ['a text', 'no such thing'],
  ['a number as text', '12'],
  ['a text too long', 'x'.repeat(LONG)],
  ['NUL', NUL],
  ['half a character', HALF_CHARACTER],
]

const QUERY_VALUES: [string, string][] = [
  ['nothing', ''],
  ['a text', 'no such thing'],
  ['a negative number', '-5'],
  ['a fraction', '1.5'],
  ['a huge number', '1e300'],
  ['more than 64 bits', String(BEYOND_INT64)],
  ['a text too long', 'x'.repeat(LONG)],
  ['NUL', '%00'],
  ['no UTF-8', '%ff%fe'],
  ['wildcards', '%25_%5c'],
  ['a prototype', '__proto__'],
]

const IDS = ['0', '-1', '1.5', '1e300', 'NaN', 'x', '%00', String(BEYOND_INT64), '1%27or%271']
const LONG_ID = '1'.repeat(10_000)

const NOWHERE = 'http://127.0.0.1:9'

/** Prevents requests to external servers. */
const exampleBody = (schema: JsonSchema) => {
  const example = exampleOf(schema, 'all')
  const addresses = ['base_url', 'url'].filter((field) => Object.hasOwn(example, field))
  return { ...example, ...Object.fromEntries(addresses.map((field) => [field, NOWHERE])) }
}

const isStorable = (value: unknown) =>
  typeof value !== 'string' || (!value.includes('\0') && value.isWellFormed())

const fieldSchema = z.looseObject({ type: z.string().optional(), maxLength: z.number().optional() })
const unionSchema = z.looseObject({ anyOf: z.array(fieldSchema) })

/** Whether the schema must reject the value by type alone. */
function mustRefuse(schema: unknown, value: unknown): boolean {
  const union = unionSchema.safeParse(schema)
  const branches = union.success ? union.data.anyOf : [fieldSchema.parse(schema)]
  return !branches.some(({ type, maxLength = 0 }) => {
    if (type === 'boolean') return typeof value === 'boolean'
    if (type === 'array') return Array.isArray(value)
    if (type !== 'string') return Number.isSafeInteger(value)
    return typeof value === 'string' && isStorable(value) && value.length <= Math.max(maxLength, 30)
  })
}

/** A valid query for each endpoint that needs one. */
const SEARCHES = new Map(
  withQuery.map(({ name, schema }) => {
    const fields = Object.entries(exampleOf(schema, 'required'))
    const query = new URLSearchParams(fields.map(([field, value]) => [field, String(value)]))
    return [name, `?${query.toString()}`]
  }),
)

describePlanes('bad fields on %s', ['root'], ({ plane, kind, root }) => {
  /** The rows as last read; undefined after a change. */
  let known: Record<string, string[]> | undefined

  const isRunOver = async () =>
    (await storedRows(plane, 'channel_runs', { ended_at: 0 })).length === 0

  async function readRows() {
    // An accepted call may have started a run over all channels, which continues to write.
    await waitUntil(isRunOver)
    // Attempts are counted whatever their outcome.
    return { ...(await everyRow(plane.database)), attempts: [] }
  }

  const rows = async () => (known ??= await readRows())

  async function expectSameRows(before: typeof known, what = '') {
    known = await readRows()
    expect(known, what).toEqual(before)
  }

  /** Sends calls that may be accepted, and then may end its own account. */
  let sender: Person | undefined

  async function currentSender() {
    if (sender === undefined) known = undefined
    return (sender ??= await plane.addPerson(ROLE.root, 1000))
  }

  const noteChange = () => void (known = sender = undefined)

  type Sent = { as: Person; method: Endpoint['method']; path: string; body?: unknown }

  const send = ({ as, method, path, body }: Sent, language: 'en' | 'zh') =>
    plane.call(method, path, {
      as,
      headers: { 'accept-language': language },
      address: newAddress(),
      ...(body === undefined ? {} : { body }),
    })

  /** English messages whose Chinese form was seen. */
  const translated = new Set<string | undefined>()

  /** The message must name the field and its rule in both languages. */
  async function expectRefused(sent: Sent, field: string, what: string) {
    const english = await send(sent, 'en')
    expectMessage(english, what)
    expect(english.message, what).toMatch(new RegExp(`^The field "${field}[^"]*" is not valid: .`))
    // Forms show the problem at the field.
    expect(english.message, what).toContain(`"${String(english['field'])}"`)
    expect(english.message, what).toContain(`: ${String(english['problem'])}`)
    expect(english.message, what).not.toMatch(/\p{Script=Han}/u)
    // zod's own texts mention patterns, which people filling in a form cannot read.
    expect(english.message, what).not.toMatch(/Invalid|\/\^/)
    if (translated.has(english.message)) return
    const chinese = await send(sent, 'zh')
    expectMessage(chinese, what)
    expect(chinese.message, what).toContain(String(chinese['problem']))
    expect(chinese.message, what).toMatch(
      new RegExp(`^字段“${field}[^”]*”无效：.*\\p{Script=Han}`, 'u'),
    )
    translated.add(english.message)
  }

  function expectMessage({ status, success, message = '' }: Answer, what: string) {
    expect([status, success], `${what}: ${message}`).toEqual([200, false])
    expect(message.length, what).toBeLessThan(500)
  }

  /** Whether a call succeeds. If not, its answer has a message. */
  async function isAccepted(what: string, sent: Sent): Promise<boolean> {
    const { status, success, message = '' } = await send(sent, 'en')
    expect([200, 403, 429], `${what}: ${message}`).toContain(status)
    if (success !== true) expect(message, what).not.toBe('')
    return success === true
  }

  /**
   * Accepts success, or a rejection with a message and without changes. Rejected calls are sent
   * again without the accepted ones, so that the rows are read once for all of them.
   */
  async function expectOrderly(calls: readonly [string, Sent][], changes = true) {
    const before = await rows()
    const rejected: [string, Sent][] = []
    for (const call of calls) if (!(await isAccepted(...call))) rejected.push(call)
    if (!changes || rejected.length === calls.length) {
      return expectSameRows(before, calls.map(([what]) => what).join(', '))
    }
    noteChange()
    if (rejected.length > 0) await expectOrderly(rejected)
  }

  /** Refusals come before any statement about the input, so one database shows them. */
  const showsRefusals = kind === 'sqlite'

  describe.each(withBody)('the body of $name', ({ endpoint, schema }) => {
    const fields = Object.entries(schema.properties ?? {})
    const { method } = endpoint
    const path = pathOf(endpoint)

    const isTaken = (body: unknown) =>
      endpoint.parts.body?.safeParse(body).success === true &&
      Object.values(z.looseObject({}).parse(body)).every(isStorable)

    test.each(fields)(
      '%s of any shape is accepted or refused with a reason',
      async (field, rule) => {
        const before = showsRefusals ? await rows() : undefined
        const taken: object[] = []
        for (const [what, value] of VALUES) {
          const body = { ...exampleBody(schema), [field]: value }
          if (mustRefuse(rule, value)) expect(isTaken(body), `${what} is taken`).toBe(false)
          if (isTaken(body)) taken.push(body)
          else if (showsRefusals) await expectRefused({ as: root, method, path, body }, field, what)
        }
        if (showsRefusals) await expectSameRows(before)
        if (taken.length === 0) return
        const as = await currentSender()
        await expectOrderly(
          taken.map((body) => [JSON.stringify(body).slice(0, 300), { as, method, path, body }]),
        )
      },
    )

    test.each(showsRefusals ? (schema.required ?? []) : [])('%s is required', async (field) => {
      const before = await rows()
      const example = Object.entries(exampleBody(schema))
      const body = Object.fromEntries(example.filter(([name]) => name !== field))
      await expectRefused({ as: root, method, path, body }, field, 'missing')
      await expectRefused(
        { as: root, method, path, body: { ...body, [field]: null } },
        field,
        'null',
      )
      await expectSameRows(before)
    })

    test('names of prototype members are not fields', async () => {
      const as = await currentSender()
      const stuffing = '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}'
      const example = JSON.stringify(exampleBody(schema)).slice(1)
      const bytes = `{${stuffing}${example === '}' ? '' : ','}${example}`
      const answer = await plane.call(method, path, { as, bytes, address: newAddress() })
      expect([200, 403, 429]).toContain(answer.status)
      expect('polluted' in {}).toBe(false)
      expect(answer.text).not.toContain('polluted')
      if (answer.success === true) noteChange()
    })
  })

  describe.each(withQuery)('the query of $name', ({ endpoint, schema, bodySchema }) => {
    const fields = Object.keys(schema.properties ?? {})
    const example = exampleOf(schema, 'required')

    /** Without a value the field is omitted. */
    const sentBy = (as: Person, field: string, value?: string): Sent => {
      const rest = Object.entries(example).filter(([name]) => name !== field)
      const search = rest.map(([name, text]) => `${name}=${encodeURIComponent(String(text))}`)
      if (value !== undefined) search.push(`${field}=${value}`)
      const path = `${pathOf(endpoint)}?${search.join('&')}`
      const body = bodySchema && exampleBody(bodySchema)
      return { as, method: endpoint.method, path, ...(body === undefined ? {} : { body }) }
    }

    test.each(fields)('%s of any shape is accepted or refused with a reason', async (field) => {
      const as = await currentSender()
      const clean: [string, Sent][] = []
      for (const [what, value] of QUERY_VALUES) {
        const text = value === '%ff%fe' ? value : decodeURIComponent(value)
        const query = { ...example, [field]: text }
        const parsed = endpoint.parts.query?.safeParse(query)
        const sent = sentBy(as, field, value)
        const isClean =
          parsed?.success && Object.values(z.looseObject({}).parse(parsed.data)).every(isStorable)
        if (isClean) clean.push([what, sent])
        else if (showsRefusals) await expectRefused(sent, field, what)
      }
      await expectOrderly(clean, changesState(endpoint))
    })

    test.each(showsRefusals ? (schema.required ?? []) : [])('%s is required', async (field) => {
      const before = await rows()
      await expectRefused(sentBy(root, field), field, 'missing')
      await expectSameRows(before)
    })
  })

  describe.each(withParams)('the id of $name', ({ name, endpoint }) => {
    const { method, path } = endpoint
    const search = SEARCHES.get(name) ?? ''

    test.each(showsRefusals ? [{ ids: IDS }] : [])('is a whole number above 0', async ({ ids }) => {
      const before = await rows()
      for (const id of [...ids, LONG_ID]) {
        await expectRefused({ as: root, method, path: path.replace(':id', id) }, 'id', id)
      }
      await expectSameRows(before)
    })

    test('an unknown id is reported in both languages', async () => {
      const before = await rows()
      for (const id of ['999999', String(Number.MAX_SAFE_INTEGER)]) {
        const sent = { as: root, method, path: path.replace(':id', id) + search }
        expect((await send(sent, 'en')).message).toMatch(/^There is no such [a-z ]+\.$/)
        expect((await send(sent, 'zh')).message).toMatch(
          /^(?:用户|令牌|渠道|兑换码|价格源|账单来源|日志|通行密钥|会话)不存在。$/,
        )
      }
      await expectSameRows(before)
    })
  })

  test('no input caused an internal error', () => {
    expect(plane.logLines.filter((line) => line.includes('"level":50'))).toEqual([])
  })
})
