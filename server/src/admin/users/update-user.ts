import { AppError, canManage, LOG_TYPE, type Quota } from '@tollgate/contract'
import type { Caller } from '../../http/session.ts'
import { userAccount } from '../../ledger/account.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Tx } from '../../store/database.ts'
import { insertNote } from '../../store/logs.ts'
import { findUser, lockUser, type ShownUser, type UserChange } from '../../store/users.ts'
import { isRepeated, assertCredited } from '../assert-credited.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { requireKnownGroups } from '../known-groups.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import {
  type Confirming,
  requireConfirmed,
  requireSession,
} from '../second-factor/require-confirmed.ts'
import { sessionHash } from '../session/session-hash.ts'
import { type Profile, profileChange, saveProfile, withUniqueName } from './profile-change.ts'
import { quotaEditText } from './quota-notes.ts'

type Edit = Profile & {
  id: number
  github_id?: string | undefined
  wechat_id?: string | undefined
  group?: string | undefined
  quota?: Quota | undefined
  quota_seen?: Quota | undefined
  edit_id?: string | undefined
}

type EditDeps = Pick<AdminDeps, 'database' | 'settings' | 'secrets' | 'passwords' | 'now'> & {
  ledger: Pick<Ledger, 'editQuota' | 'revoke'>
}

/** Does not edit role or status. The ledger books a new quota. */
export async function updateUser(
  deps: EditDeps,
  editor: Confirming,
  edit: Edit,
): Promise<ShownUser> {
  const { database } = deps
  const target = await findUser(database.kysely, edit.id)
  requireManageable(editor.caller, target)
  // Root can edit its own row.
  if (edit.password && edit.id === editor.caller.id) requireSession(editor)
  if (opensAccount(edit, target)) await requireConfirmed(deps, editor)
  const change = await profileChange(deps, edit)
  if (edit.github_id !== undefined) change.github_id = edit.github_id
  if (edit.wechat_id !== undefined) change.wechat_id = edit.wechat_id
  const save = () =>
    database.changeAccounts(async (tx) => {
      const user = await lockUser(tx, database.kind, { id: edit.id })
      requireManageable(await reauthorize(tx, deps, editor), user)
      await saveProfile(tx, user.id, {
        change: { ...change, ...groupChange(deps, user, edit) },
        sessionHash: sessionHash(deps, editor),
      })
      await editQuota(tx, deps, { editor, user, edit })
      const saved = await findUser(tx, user.id)
      if (!saved) throw new Error('an edited user is not there')
      return saved
    })
  return withUniqueName(edit.username, () => withRevokedLease(deps, edit.id, save))
}

/** Setting a password or an identity of a user allows logging in as that user. */
function opensAccount({ password = '', github_id, wechat_id }: Edit, user: ShownUser): boolean {
  const isChanged = (given: string | undefined, stored: string) =>
    given !== undefined && given !== '' && given !== stored
  return (
    password !== '' || isChanged(github_id, user.github_id) || isChanged(wechat_id, user.wechat_id)
  )
}

/** If leases block a quota change, revokes the unused part of them and tries again. */
async function withRevokedLease<Result>(
  { ledger }: EditDeps,
  userId: number,
  save: () => Promise<Result>,
): Promise<Result> {
  try {
    return await save()
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'quota_below_held')) throw error
  }
  await ledger.revoke(userAccount(userId))
  return save()
}

function requireManageable(actor: Caller, user: ShownUser | undefined): asserts user is ShownUser {
  if (!user) throw new AppError('user_not_found')
  if (!canManage(actor, user)) throw new AppError('target_not_below')
}

/** An unchanged group is accepted even if it no longer has a ratio. */
function groupChange({ settings }: EditDeps, user: ShownUser, { group }: Edit): UserChange {
  if (group === undefined || group === '' || group === user.group) return {}
  return { group: requireKnownGroups(settings, group) }
}

async function editQuota(
  tx: Tx,
  deps: EditDeps,
  { editor, user, edit }: { editor: CallerContext; user: ShownUser; edit: Edit },
) {
  if (edit.quota === undefined) return
  const outcome = await deps.ledger.editQuota(tx, {
    kind: 'user',
    ownerId: user.id,
    targetBalance: edit.quota,
    seenBalance: edit.quota_seen,
    editId: edit.edit_id,
    reason: 'edited by an administrator',
    actorId: editor.caller.id,
  })
  if (isRepeated(outcome, edit.edit_id, 'edit_differs')) return
  const change = { before: user.quota, after: assertCredited(outcome, 'user_not_found') }
  if (change.before === change.after) return
  await insertNote(tx, {
    user_id: user.id,
    username: edit.username || user.username,
    type: LOG_TYPE.manage,
    content: quotaEditText(deps.settings.current(), change),
    created_at: nowSeconds(deps),
  })
}
