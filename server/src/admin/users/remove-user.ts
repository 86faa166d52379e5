import { randomBytes } from 'node:crypto'
import { USER_STATUS } from '@tollgate/contract'
import type { Tx } from '../../store/database.ts'
import { deleteSecondFactors } from '../../store/second-factors.ts'
import { deleteSessionsOf } from '../../store/sessions.ts'
import { deleteStoredItemsOf } from '../../store/stored-items.ts'
import { updateUser } from '../../store/users.ts'

const NAME_BYTES = 16

/**
 * Keeps the row for accounting, but nothing can log in with it. The name becomes free. Address and
 * identities stay taken, or re-registration would earn the new-user bonus again.
 */
export async function removeUser(tx: Tx, userId: number) {
  await updateUser(tx, userId, {
    username: `deleted_${randomBytes(NAME_BYTES).toString('hex')}`,
    status: USER_STATUS.deleted,
    access_token_hash: null,
  })
  await deleteSecondFactors(tx, userId)
  await deleteSessionsOf(tx, userId)
  await deleteStoredItemsOf(tx, userId)
}
