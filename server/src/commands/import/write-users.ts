import { GIFT_CODE_LENGTH, QUOTA_MAX, ROLE, USER_STATUS } from '@tollgate/contract'
import { mailboxOf } from '../../domain/mailbox.ts'
import { isBcrypt } from '../../http/bcrypt.ts'
import { newInviteCode } from '../../secrets.ts'
import { bulkInsert } from '../../store/bulk.ts'
import { executeAll } from '../../store/execute-all.ts'
import { isInList } from '../../store/in-list.ts'
import { storableText } from '../../store/storable-text.ts'
import { updateUser } from '../../store/users.ts'
import { book } from './book.ts'
import type { ImportContext } from './context.ts'
import { chooseIds, continueIds, digestOf, KnownRows } from './known-rows.ts'
import type { Source, SourceUser } from './sources/source.ts'
import { readTakenNames, type TakenNames } from './taken-names.ts'
import { writeInTurn } from './write-in-turn.ts'

const insertUsers = bulkInsert('users', {
  id: 'bigint',
  username: 'text',
  username_folded: 'text?',
  password_hash: 'text',
  display_name: 'text',
  role: 'bigint',
  status: 'bigint',
  email: 'text',
  email_mailbox: 'text',
  github_id: 'text',
  wechat_id: 'text',
  lark_id: 'text',
  oidc_id: 'text',
  access_token_hash: 'text?',
  group: 'text',
  aff_code: 'text',
  gift_code: 'text?',
  inviter_id: 'bigint',
  created_time: 'bigint',
})

const NAME_LENGTH_MAX = 200
/** PostgreSQL cannot index texts of 2.7 kB and more. */
const IDENTITY_LENGTH_MAX = 320

/** A user as the log and the rest of the use need it. */
export type ImportedUser = {
  readonly id: number
  readonly username: string
  readonly group: string
  readonly source: SourceUser
}

type Users = {
  readonly known: KnownRows
  /** By the id in the source. */
  readonly imported: ReadonlyMap<string, ImportedUser>
}

export async function importUsers(context: ImportContext, source: Source): Promise<Users> {
  const known = await KnownRows.read(context, 'user')
  const imported = new Map<string, ImportedUser>()
  const state = { known, imported, taken: await readTakenNames(context.database.kysely) }
  for await (const users of source.users()) {
    const page = await planPage(context, users, state)
    reportPage(context, page)
    if (!context.isDryRun) await writePage(context, page, known)
  }
  return { known, imported }
}

type State = { known: KnownRows; imported: Map<string, ImportedUser>; taken: TakenNames }

type Planned = {
  readonly user: SourceUser
  readonly id: number
  readonly outcome: 'new' | 'changed' | 'same'
  readonly digest: string
  /** Null unless it is to be inserted. */
  readonly row: ReturnType<typeof newRow> | null
  /** 0 for the super administrator, whose balance stays that of this installation. */
  readonly credit: number
  readonly used: number
  readonly requests: number
}

async function planPage(
  context: ImportContext,
  users: readonly SourceUser[],
  state: State,
): Promise<Planned[]> {
  const { known, imported } = state
  const fresh = users.filter(({ id, role }) => known.get(id) === undefined && role !== ROLE.root)
  const ids = await chooseIds(
    context.database,
    'users',
    fresh.map(({ id }) => id),
  )
  const idOf = new Map(fresh.map(({ id }, index) => [id, ids[index] ?? 0]))
  const names = await readNames(context, users, known)
  return users.map((user) => {
    const isRoot = user.role === ROLE.root
    const id = isRoot ? context.root.actor.id : (known.idOf(user.id) ?? idOf.get(user.id) ?? 0)
    const planned = planUser(context, { user, id }, state)
    imported.set(user.id, {
      id,
      username: planned.row?.username ?? names.get(id) ?? context.root.actor.username,
      group: storableText(user.group, NAME_LENGTH_MAX),
      source: user,
    })
    return planned
  })
}

/** The names of users that are here already, which may differ from those of the source. */
async function readNames(
  { database }: ImportContext,
  users: readonly SourceUser[],
  known: KnownRows,
): Promise<Map<number, string>> {
  const values = users.flatMap(({ id }) => known.idOf(id) ?? [])
  const rows = await database.kysely
    .selectFrom('users')
    .select(['id', 'username'])
    .where(isInList(database.kind, 'id', { type: 'bigint', values }))
    .execute()
  return new Map(rows.map(({ id, username }) => [id, username]))
}

function planUser(
  context: ImportContext,
  { user, id }: { user: SourceUser; id: number },
  state: State,
): Planned {
  const before = state.known.get(user.id)
  const digest = digestOf(profileOf(user))
  const isRoot = user.role === ROLE.root
  return {
    user,
    id,
    digest,
    outcome: before === undefined ? 'new' : before.digest === digest ? 'same' : 'changed',
    row: before === undefined && !isRoot ? newRow(context, { user, id }, state) : null,
    credit: isRoot ? 0 : clampedQuota(user.quota) - (before?.quota ?? 0),
    used: before?.used ?? 0,
    requests: before?.requests ?? 0,
  }
}

/** A later import writes a user again if one of these differs. */
const profileOf = ({ quota: _q, usedQuota: _u, requestCount: _r, ...profile }: SourceUser) =>
  profile

const clampedQuota = (quota: number) => Math.min(Math.max(0, quota), QUOTA_MAX)

function reportPage({ report }: ImportContext, page: readonly Planned[]) {
  for (const { user, outcome, row } of page) {
    report.count('users', outcome)
    const where = `user ${user.id} (${user.username})`
    if (user.quota < 0) report.tell('Negative balances, imported as 0', `${where}: ${user.quota}`)
    if (user.quota > QUOTA_MAX) {
      report.tell(
        'Balances above the largest balance, which they become',
        `${where}: ${user.quota}`,
      )
    }
    if (outcome !== 'new') continue
    if (row === null) {
      report.tell('Merged into the super administrator, who keeps password and balance', where)
    } else if (row.username !== user.username) {
      report.tell(
        'Users with another name, because theirs is taken or too long',
        `${where}: ${row.username}`,
      )
    }
    if (user.passwordHash !== '' && !isBcrypt(user.passwordHash)) {
      report.tell('Passwords that cannot be read; these users reset theirs', where)
    }
  }
}

async function writePage(context: ImportContext, page: readonly Planned[], known: KnownRows) {
  const { database } = context
  const inserted = page.flatMap(({ row }) => (row === null ? [] : [row]))
  const changed = page.filter(({ outcome, user }) => outcome === 'changed' && user.role < ROLE.root)
  const credits = page
    .filter(({ credit }) => credit !== 0)
    .map(({ id, credit }) => ({ kind: 'user' as const, ownerId: id, amount: credit }))
  if (credits.length === 0 && page.every(({ outcome }) => outcome === 'same')) return
  const rows = new Map(page.map((planned) => [planned.user.id, knownRow(planned)]))
  await writeInTurn(context, 'changeAccounts', async (tx) => {
    await executeAll(tx, insertUsers(database.kind, inserted))
    await continueIds(tx, database.kind, 'users')
    for (const { id, user } of changed) await updateUser(tx, id, changeOf(user))
    await book(tx, context, { credits })
    await known.write(tx, database.kind, rows)
  })
  known.note(rows)
}

const knownRow = ({ user, id, digest, used, requests }: Planned) => ({
  new_id: id,
  digest,
  quota: clampedQuota(user.quota),
  used,
  requests,
})

const statusOf = ({ isEnabled }: SourceUser) =>
  isEnabled ? USER_STATUS.enabled : USER_STATUS.disabled

const passwordOf = ({ passwordHash }: SourceUser) => (isBcrypt(passwordHash) ? passwordHash : '')

const changeOf = (user: SourceUser) => ({
  password_hash: passwordOf(user),
  display_name: storableText(user.displayName || user.username, NAME_LENGTH_MAX),
  status: statusOf(user),
  group: storableText(user.group, NAME_LENGTH_MAX),
})

function newRow(
  context: ImportContext,
  { user, id }: { user: SourceUser; id: number },
  { known, imported, taken }: State,
) {
  const { secrets, report } = context
  const username = taken.claimUsername(user)
  const claim = (column: Parameters<TakenNames['claim']>[0], value: string) => {
    const isTooLong = value.length > IDENTITY_LENGTH_MAX
    if (value === '' || (!isTooLong && taken.claim(column, value))) return value
    report.tell(
      `Addresses and accounts that ${isTooLong ? 'are too long' : 'another user has'}`,
      `user ${user.id} (${username}): ${column} ${storableText(value, NAME_LENGTH_MAX)}`,
    )
    return ''
  }
  const email = claim('email', user.email.toLowerCase())
  const hasCode = user.inviteCode.length <= NAME_LENGTH_MAX
  const code =
    hasCode && taken.claim('aff_code', user.inviteCode) ? user.inviteCode : newInviteCode()
  const gift = code.slice(-GIFT_CODE_LENGTH)
  const hasGift = gift.length === GIFT_CODE_LENGTH && taken.claim('gift_code', gift)
  const token = user.accessToken === '' ? null : secrets.hashAccessToken(user.accessToken)
  return {
    id,
    username,
    username_folded: taken.claimFoldedName(username),
    ...changeOf(user),
    role: user.role,
    email,
    email_mailbox: mailboxOf(email),
    github_id: claim('github_id', user.githubId),
    wechat_id: claim('wechat_id', user.wechatId),
    lark_id: claim('lark_id', user.larkId),
    oidc_id: claim('oidc_id', oidcIdentity(context, user.oidcId)),
    access_token_hash: token !== null && taken.claim('access_token_hash', token) ? token : null,
    aff_code: code,
    gift_code: hasGift ? gift : null,
    inviter_id: known.idOf(user.inviterId) ?? imported.get(user.inviterId)?.id ?? 0,
    created_time: user.createdTime,
  }
}

/** An identity names its issuer here, since subjects of two issuers may be equal. */
function oidcIdentity({ settings }: ImportContext, subject: string): string {
  if (subject === '') return ''
  const { OidcWellKnown, OidcUserinfoEndpoint } = settings.current()
  const issuer = OidcWellKnown.replace(/\/\.well-known\/[^/]+$/, '')
  return `${issuer || OidcUserinfoEndpoint}#${subject}`
}
