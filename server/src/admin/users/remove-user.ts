import { randomBytes } from 'node:crypto'
import { USER_STATUS } from '@tollgate/contract'
import type { Tx } from '../../store/database.ts'
import { deleteSecondFactors } from '../../store/second-factors.ts'
import { deleteSessionsOf } from '../../store/sessions.ts'
import { updateUser } from '../../store/users.ts'

const NAME_BYTES = 16

/**
 * The row stays, for the books, and nothing of it signs in any more. Its name is free again; its address
 * and identities are not, or deleting an account would be a way to the gift of a new user once more.
 */
export async function removeUser(tx: Tx, userId: number) {
  await updateUser(tx, userId, {
    username: `deleted_${randomBytes(NAME_BYTES).toString('hex')}`,
    status: USER_STATUS.deleted,
    access_token_hash: null,
  })
  await deleteSecondFactors(tx, userId)
  await deleteSessionsOf(tx, userId)
}
