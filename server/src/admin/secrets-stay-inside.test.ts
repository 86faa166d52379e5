import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { changesState, type Endpoint, optionKeys, OPTIONS, ROLE } from '@tollgate/contract'
import {
  answerChat,
  answerError,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../testing/harness/wait-until.ts'
import { spend } from '../../testing/ledger/spend.ts'
import {
  accessTokenOf,
  type Answer,
  type Call,
  idOf,
  keyOf,
  newAddress,
  openControlPlane,
  type Person,
  tokenForm,
} from '../../testing/worlds/control-plane.ts'
import { describeWorlds } from '../../testing/worlds/describe-planes.ts'
import { bodies, endpoints, queries } from '../../testing/worlds/endpoint-lists.ts'
import { mailedTo } from '../../testing/worlds/outbox.ts'
import { setRow, storedRows } from '../../testing/worlds/rows.ts'
import { keyFingerprint } from '../upstream/channel-keys.ts'
import { exampleOf } from './api-document/examples.ts'

/*
 * Calls every endpoint with valid and invalid input as every role, and searches the responses for
 * every secret that exists by then.
 */

const CUSTOM = 8
const CHANNEL_KEY = 'planted-channel-key'
const PASSWORD = 'planted-password'
/** Secrets typed into a form count like stored secrets. */
const TYPED = 'planted-typed'
const CONFIG = '{"region":"eu","proxy":"http://bob:planted-proxy@127.0.0.1:1"}'
/** Failing providers repeat secrets in their messages. */
const REPEATED = `no ${CHANNEL_KEY} (POST /v1/x?code=planted-code) planted-code`

const SECRET_OPTIONS = optionKeys
  .filter((key) => OPTIONS[key].secret)
  .map((key) => [key, `1:planted-${key}`] as const)

/** Includes unreachable servers that the secrets belong to. */
const OPTION_ROWS = [
  ['WeChatServerAddress', 'http://127.0.0.1:1'],
  ['SMTPServer', '127.0.0.1'],
  ['SMTPAccount', 'mail@example.com'],
  ['ServerAddress', 'https://gate.example'],
  ...SECRET_OPTIONS,
  ['WeChatAuthEnabled', 'true'],
] as const

const NOBODYS: ReadonlySet<string> = new Set()

const CALLERS = ['anonymous', 'user', 'admin', 'root'] as const
type Caller = (typeof CALLERS)[number]

/** Endpoints that need an external server, a mailed code or earnings to succeed. */
const NOT_DONE_HERE = [
  'resetPassword startOAuth signInByGitHub signInByOidc signInByLark signInByWeChat bindWeChat',
  'stopReminder bindEmail fetchModels updateBalance sendTestMail recordPayout endSession pullPriceFeed',
  'updatePriceFeed deletePriceFeed listPriceChanges applyPriceChanges moveGroup updateBillSource',
  'deleteBillSource previewBill beginBillImport addBillPart pullBill compareBill listBilledRows',
  // Tests of second factors have authenticators.
  'changeChannelKey importChannels signInByCode signInByPasskey enableTotp disableTotp createRecoveryCodes',
  'createPasskey renamePasskey deletePasskey beginPasskeyConfirmation confirm',
].flatMap((names) => names.split(' '))

/** A caller, with one row of every kind to ask about. */
type World = {
  caller: Caller
  as: Person | undefined
  target: Person
  email: string
  ids: Readonly<Record<string, number>>
  /** Secrets the caller may see: their own relay key; for administrators also codes. */
  mayBeTold: Readonly<Record<string, ReadonlySet<string>>>
  code: string
}

type Row = (typeof endpoints)[number]

/** Callers without the role are rejected whatever they send. */
const isLetIn = (caller: Caller, { endpoint: { access } }: Row) =>
  access === 'public' || (caller !== 'anonymous' && ROLE[caller] >= ROLE[access])

describeWorlds(openControlPlane, 'secrets on %s', (plane, kind) => {
  let root: Person
  let provider: ScriptedUpstream
  let password_hash: string
  const planted = new Set([
    CHANNEL_KEY,
    PASSWORD,
    TYPED,
    'planted-code',
    'planted-proxy',
    ...SECRET_OPTIONS.map(([, value]) => value),
  ])
  const codes = new Set<string>()

  beforeAll(async () => {
    provider = await startScriptedUpstream()
    provider.script('a', answerError(400, { message: REPEATED }), answerChat(REPEATED))
    password_hash = await plane.passwords.hash(PASSWORD)
    root = await addPerson(ROLE.root)
    for (const [key, value] of OPTION_ROWS) {
      await plane.done('PUT', '/api/option/', { as: root, body: { key, value } })
    }
  })
  afterAll(() => provider.close())

  const call = (method: Endpoint['method'], path: string, options: Call) =>
    plane.call(method, path, { address: newAddress(), ...options })

  async function addPerson(role: number): Promise<Person> {
    const person = await plane.addPerson(role, 1000)
    planted.add(person.session).add(accessTokenOf(person))
    return person
  }

  async function addTarget(): Promise<{ target: Person; email: string }> {
    const target = await addPerson(ROLE.user)
    const email = `${target.username}@example.com`
    await setRow(plane, 'users', target.id, { email, password_hash })
    return { target, email }
  }

  const addRelayKey = async (as: Person) => {
    const token = await call('POST', '/api/token/', { as, body: tokenForm })
    planted.add(keyOf(token))
    return { key: keyOf(token), id: idOf(token) }
  }

  const addCode = async () => {
    const body = { name: 'gift', quota: 1, count: 1 }
    const { data } = await call('POST', '/api/redemption/', { as: root, body })
    const [code = ''] = z.array(z.string()).parse(data)
    codes.add(code)
    planted.add(code)
    return code
  }

  const addressOfProvider = () => `${provider.baseUrl('a')}?code=planted-code`

  const addChannel = () =>
    plane.addChannel(root, { type: CUSTOM, key: CHANNEL_KEY, base_url: addressOfProvider() })

  const newest = async (of: 'redemptions' | 'logs' | 'option_changes') =>
    (await storedRows(plane, of)).at(-1)?.id ?? 0

  /** Stored forms of secrets count as secrets too. */
  async function plantStored() {
    const { kysely } = plane.database
    const newestOf = 10
    const users = kysely.selectFrom('users').select(['password_hash', 'access_token_hash'])
    const tokens = kysely.selectFrom('tokens').select(['key_hash', 'key_sealed'])
    const channels = kysely.selectFrom('channels').select('key_sealed')
    const sessions = kysely.selectFrom('sessions').select('id_hash').orderBy('created_time', 'desc')
    const factors = kysely.selectFrom('second_factors').select('pending_totp_sealed')
    const tickets = kysely.selectFrom('auth_tickets').select('ticket_hash')
    const rows = [
      ...(await users.orderBy('id', 'desc').limit(newestOf).execute()),
      ...(await tokens.orderBy('id', 'desc').limit(newestOf).execute()),
      ...(await channels.orderBy('id', 'desc').limit(newestOf).execute()),
      ...(await sessions.limit(newestOf).execute()),
      ...(await factors.orderBy('user_id', 'desc').limit(newestOf).execute()),
      ...(await tickets.orderBy('created_time', 'desc').limit(newestOf).execute()),
    ]
    const stored = rows.flatMap((row) => Object.values(row)).filter(Boolean)
    for (const text of stored) planted.add(String(text))
  }

  async function openWorld(caller: Caller): Promise<World> {
    const as = caller === 'anonymous' ? undefined : await addPerson(ROLE[caller])
    const { target, email } = await addTarget()
    const owner = as ?? target
    const { id: tokenId, key } = await addRelayKey(owner)
    const code = await addCode()
    const channel = await addChannel()
    const at = Math.floor(plane.clock.now / 1000)
    await spend(plane.ledger, { by: owner, tokenId, cost: 2, at, channel })
    await plantStored()
    const isAdmin = caller === 'admin' || caller === 'root'
    return {
      caller,
      as,
      target,
      email,
      ids: {
        users: target.id,
        tokens: tokenId,
        userTokens: tokenId,
        channels: channel,
        redemptions: await newest('redemptions'),
        logs: await newest('logs'),
        options: await newest('option_changes'),
      },
      mayBeTold: { tokens: as ? new Set([key]) : NOBODYS, redemptions: isAdmin ? codes : NOBODYS },
      code,
    }
  }

  const lasting = new Map<Caller, World>()

  /** Calls that change state get a new world; others, and refused ones, share one per caller. */
  async function worldFor(caller: Caller, row: Row): Promise<World> {
    if (changesState(row.endpoint) && isLetIn(caller, row)) return openWorld(caller)
    const world = lasting.get(caller) ?? (await openWorld(caller))
    lasting.set(caller, world)
    return world
  }

  /** Values that must match existing rows, by field. */
  function given({ resource, name }: Row, world: World): Record<string, unknown> {
    const { target, email, ids, code } = world
    const isNew = name === 'createUser' || name === 'register' || resource === 'self'
    const channel = { type: CUSTOM, key: TYPED, base_url: addressOfProvider(), config: CONFIG }
    const key = name === 'redeem' ? code : 'SMTPToken'
    return {
      id: resource === 'stat' ? target.id : ids[resource],
      ids: [ids['options']],
      user_id: target.id,
      username: isNew ? `n${newAddress().slice(7)}` : target.username,
      password: PASSWORD,
      password2: PASSWORD,
      email,
      code: TYPED,
      key_id: keyFingerprint(CHANNEL_KEY),
      token: resource === 'stat' ? ids['tokens'] : TYPED,
      key,
      value: TYPED,
      quota_seen: 1000,
      amount: 1,
      aff_code: '',
      github_id: `g${newAddress()}`,
      wechat_id: `w${newAddress()}`,
      edit_id: newAddress(),
      transaction_id: newAddress(),
      payout_id: newAddress(),
      ...(resource === 'channels' ? channel : {}),
    }
  }

  const fitting = (example: Record<string, unknown>, fit: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(example).map(([name, value]) => [name, fit[name] ?? value]))

  type Sent = { path: string } & Pick<Call, 'body' | 'bytes'>
  function rightly(row: Row, world: World): Sent {
    const { endpoint, name } = row
    const fit = given(row, world)
    const query = queries.get(name)
    const search = Object.entries(query ? fitting(exampleOf(query, 'all'), fit) : {})
      .map(([field, value]) => `${field}=${encodeURIComponent(String(value))}`)
      .join('&')
    const path = `${endpoint.path.replace(':id', String(fit['id']))}?${search}`
    const body = bodies.get(name)
    return { path, ...(body && { body: fitting(exampleOf(body, 'all'), fit) }) }
  }

  /** Invalid calls: missing, malformed or wrongly typed input, and unknown ids. */
  function wrongly(row: Row, world: World): Sent[] {
    const { endpoint } = row
    const { path, body } = rightly(row, world)
    const fields = Object.entries(z.record(z.string(), z.unknown()).parse(body ?? {}))
    // A database could repeat NUL. Other types are refused before any statement.
    const values = kind === 'sqlite' ? [[TYPED], `${TYPED}\0`] : [`${TYPED}\0`]
    const rest = Object.fromEntries(fields)
    const wrong = fields.flatMap(([field]) =>
      values.map((value) => ({ path, body: { ...rest, [field]: value } })),
    )
    const nobody = fields.map(([field, value]) => [field, field.endsWith('id') ? 999_999 : value])
    return [
      { path: endpoint.path.replace(':id', '999999'), body: Object.fromEntries(nobody) },
      { path: endpoint.path.replace(':id', TYPED), body: {} },
      { path: `${path.replace(/=[^&]*/g, `=${TYPED}%00`)}`, body },
      ...(body === undefined ? [] : [{ path, bytes: `{"password":"${TYPED}","key":${TYPED}` }]),
      ...wrong,
    ]
  }

  function expectNothingTold({ text, headers }: Answer, row: Row, world: World) {
    // Only a cookie may contain a session.
    const answer = text + JSON.stringify({ ...headers, 'set-cookie': '' })
    const may = row.name === 'exportChannelKeys' ? planted : world.mayBeTold[row.resource]
    const told = [...planted].filter((secret) => answer.includes(secret) && !may?.has(secret))
    expect(told, `${world.caller}: ${text.slice(0, 500)}`).toEqual([])
  }

  /** Secrets that a response returns once count from then on. */
  function plantWhatIsNew({ name }: Row, { data, success }: Answer) {
    if (success !== true) return
    if (name === 'createToken') planted.add(z.object({ key: z.string() }).parse(data).key)
    if (name === 'beginTotp') planted.add(z.object({ secret: z.string() }).parse(data).secret)
    if (name === 'createAccessToken' || name === 'resetPassword') planted.add(String(data))
    if (name === 'createRedemptions') {
      for (const code of z.array(z.string()).parse(data)) {
        codes.add(code)
        planted.add(code)
      }
    }
  }

  const done = new Set<string>()

  test.each(endpoints)('$name returns none', async (row) => {
    const { method } = row.endpoint
    // Every caller who is admitted gets the same answer to invalid input.
    const lowest = CALLERS.findIndex((caller) => isLetIn(caller, row))
    // The role decides what an answer has, whatever the database.
    const callers = kind === 'sqlite' ? CALLERS : CALLERS.slice(0, lowest + 1)
    for (const caller of callers) {
      const world = await worldFor(caller, row)
      const as = world.as === undefined ? {} : { as: world.as }
      const wrong = caller === CALLERS[lowest] ? wrongly(row, world) : []
      const again = isLetIn(caller, row) ? [rightly(row, world)] : []
      for (const sent of [...wrong, rightly(row, world), ...again]) {
        const { path, ...content } = sent
        const answer = await call(method, path, { ...as, ...content })
        expect(answer.status, answer.text).toBeLessThan(500)
        expectNothingTold(answer, row, world)
        plantWhatIsNew(row, answer)
        if (answer.success === true) done.add(row.name)
      }
      for (const mailed of await mailedTo(plane, world.email)) planted.add(mailed)
    }
  })

  test('all of them, except those with external calls, were called successfully', () => {
    const names = endpoints.map(({ name }) => name)
    expect(names.filter((name) => !done.has(name)).toSorted()).toEqual(NOT_DONE_HERE.toSorted())
  })

  test('an internal error is a 500 without detail', async () => {
    const user = await addPerson(ROLE.user)
    await plane.database.kysely.schema.alterTable('tokens').renameTo('tokens_away').execute()
    const body = { ...tokenForm, name: TYPED }
    const answer = await call('POST', '/api/token/', { as: user, body })
    await plane.database.kysely.schema.alterTable('tokens_away').renameTo('tokens').execute()
    expect([answer.status, answer.success]).toEqual([500, false])
    const requestId = String(answer.headers['x-oneapi-request-id'])
    expect(answer.message).toContain(requestId)
    expect(answer.text).not.toMatch(/tokens|select|sql/i)
    expect(plane.logLines.join('')).toContain(requestId)
  })

  test('none is in the log file', async () => {
    const isQuiet = async () =>
      /"running":false/.test((await call('GET', '/api/channel/test/progress', { as: root })).text)
    await waitUntil(isQuiet)
    const lines = plane.logLines.join('')
    expect(lines).not.toBe('')
    expect([...planted].filter((secret) => lines.includes(secret))).toEqual([])
  })
})
