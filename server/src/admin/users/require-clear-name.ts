import { AppError } from '@tollgate/contract'
import { looksLike, mixesScripts } from '../../domain/look-alikes.ts'
import { isUsernameTaken } from '../../store/users.ts'

/** Names that promise authority, taken or not. */
const RESERVED = new Set(['root', 'admin', 'administrator', 'system', 'support'])

/** A name with an @ could be somebody's address, which signs in as well. */
const isMisleading = (name: string) => name.includes('@') || mixesScripts(name)

/**
 * Throws `username_confusing` for a new name that a reader could take for another user's. Names that
 * accounts already have stay good.
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
  const other = looksLike(name)
  return other === null || (!RESERVED.has(other) && !(await isUsernameTaken(db, other)))
}
