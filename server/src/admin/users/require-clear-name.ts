import { AppError } from '@tollgate/contract'
import { isUsernameTaken } from '../../store/users.ts'
import { looksLike, mixesScripts } from './look-alikes.ts'

/** Names that suggest authority. Their look-alikes are rejected even if no user has the name. */
const RESERVED = new Set(['root', 'admin', 'administrator', 'system', 'support'])

/** A name with an @ could be another user's address, which also works as a login name. */
const isMisleading = (name: string) => name.includes('@') || mixesScripts(name)

/**
 * Throws `username_confusing` for a new name that resembles another user's. Existing names stay
 * valid.
 */
export async function requireClearName(
  db: Parameters<typeof isUsernameTaken>[0],
  name: string,
): Promise<void> {
  if (!(await isClearName(db, name))) throw new AppError('username_confusing', { username: name })
}

export async function isClearName(
  db: Parameters<typeof isUsernameTaken>[0],
  name: string,
): Promise<boolean> {
  if (isMisleading(name)) return false
  const latinForm = looksLike(name)
  return latinForm === null || (!RESERVED.has(latinForm) && !(await isUsernameTaken(db, latinForm)))
}
