import { randomInt } from 'node:crypto'
import { AppError, displayName, emailAddress, username as usernameSchema } from '@tollgate/contract'
import type { Identity } from '../../integrations/identity.ts'
import { findUserByEmail, isMailboxTaken, isUsernameTaken } from '../../store/users.ts'
import type { AdminDeps } from '../deps.ts'
import { requireEmailDomain } from '../session/require-email-domain.ts'
import type { Account } from '../users/create-account.ts'
import { isClearName } from '../users/require-clear-name.ts'
import type { Way } from './providers.ts'

const SUFFIX_LENGTH = 5
const SUFFIX_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'
const NAME_ATTEMPTS_MAX = 20
const DISPLAY_NAME_LENGTH_MAX = 20

/** A new account without a password, so only the identity logs in. */
export async function newAccountOf(
  deps: AdminDeps,
  { column, prefix }: Way,
  identity: Identity,
): Promise<Account> {
  return {
    username: await freeUsername(deps, prefix, identity.username),
    password_hash: '',
    display_name: visibleName(identity.display_name),
    email: await freeEmail(deps, identity.email),
    [column]: identity.id,
  }
}

/** Returns the wanted name if it is valid and free; otherwise a random one. */
async function freeUsername(deps: AdminDeps, prefix: string, preferred: string): Promise<string> {
  const { kysely } = deps.database
  const parsed = usernameSchema.safeParse(preferred)
  if (parsed.success && (await isFree(kysely, parsed.data))) return parsed.data
  for (let attempts = 0; attempts < NAME_ATTEMPTS_MAX; attempts++) {
    const name = `${prefix}${randomSuffix()}`
    if (!(await isUsernameTaken(kysely, name))) return name
  }
  throw new Error(`every name tried with ${prefix} is taken`)
}

const isFree = async (db: Parameters<typeof isUsernameTaken>[0], name: string) =>
  !(await isUsernameTaken(db, name)) && (await isClearName(db, name))

const randomSuffix = () =>
  Array.from(
    { length: SUFFIX_LENGTH },
    () => SUFFIX_ALPHABET[randomInt(SUFFIX_ALPHABET.length)],
  ).join('')

/** Reduces a name to what our forms accept: visible characters, at most 20. */
function visibleName(name: string): string {
  const visible = name.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return displayName.parse([...visible].slice(0, DISPLAY_NAME_LENGTH_MAX).join('').trim())
}

/** Returns an empty string if the address is taken or registration would reject it. */
async function freeEmail(deps: AdminDeps, claimedEmail: string): Promise<string> {
  const email = emailAddress.safeParse(claimedEmail)
  const { kysely } = deps.database
  if (!email.success || (await findUserByEmail(kysely, email.data))) return ''
  const { EmailAliasRestrictionEnabled } = deps.settings.current()
  if (EmailAliasRestrictionEnabled && (await isMailboxTaken(kysely, { email: email.data })))
    return ''
  try {
    requireEmailDomain(deps.settings.current(), email.data)
    return email.data
  } catch (error) {
    if (error instanceof AppError && error.code === 'email_domain_refused') return ''
    throw error
  }
}
