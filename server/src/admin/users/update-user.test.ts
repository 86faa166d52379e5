import { pino } from 'pino'
import { beforeAll, describe, expect, test } from 'vitest'
import { ROLE, USER_STATUS } from '@tollgate/contract'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import { NOW_MS, openNode, openBatchWorld } from '../../../testing/ledger/batch-world.ts'
import { cheapPasswords } from '../../../testing/worlds/control-plane.ts'
import { setRow } from '../../../testing/worlds/rows.ts'
import type { Caller } from '../../http/session.ts'
import { type Account, userAccount } from '../../ledger/account.ts'
import { deriveSecrets } from '../../secrets.ts'
import { openSettings, type Settings } from '../../settings/settings.ts'
import { updateUser } from './update-user.ts'

const NOWHERE = { page: '', hosts: [] }
const ROOT_TOKEN = 'an access token of root'
const LEASED = 90

const secrets = deriveSecrets('a secret of the tests only')

describe.each(DATABASES)('on %s', (kind) => {
  const world = openOnce(() => openBatchWorld(kind))
  let settings: Settings
  let root: Caller

  beforeAll(async () => {
    const { database } = world
    settings = await openSettings({ database, secrets, log: pino({ level: 'silent' }) })
    const role = ROLE.root
    root = { id: await world.addUser(0), username: 'root', role, status: USER_STATUS.enabled }
    await setRow({ database }, 'users', root.id, {
      role,
      access_token_hash: secrets.hashAccessToken(ROOT_TOKEN),
    })
  })

  /** Adds a user with 100 units. Another node leases 90 of them and spends `used`. */
  async function open(used: number) {
    const id = await world.addUser(100)
    const node = await openNode(world.ledgerDatabase)
    await node.lease(userAccount(id), LEASED)
    const revoked: Account[] = []
    const revoke = async (account: Account) => {
      revoked.push(account)
      await node.flush({ releases: [{ account, amount: LEASED - used }] })
    }
    const { database } = world
    const ledger = { ...world.ledger, revoke }
    const passwords = cheapPasswords()
    const deps = { database, settings, secrets, passwords, ledger, now: () => NOW_MS }
    const noSession = { sessionId: null, session: null, site: NOWHERE }
    const editor = { ...noSession, caller: root, accessToken: ROOT_TOKEN }
    const edit = (quota: number) => updateUser(deps, editor, { id, quota, display_name: 'edited' })
    return { id, revoked, edit }
  }

  test('unused leases of another epoch block no edit', async () => {
    const { id, revoked, edit } = await open(0)
    expect(await edit(20)).toMatchObject({ quota: 20, quota_leased: 0, display_name: 'edited' })
    expect(revoked).toEqual([userAccount(id)])
    expect(await world.rowsOf('logs', id)).toHaveLength(1)
  })

  test('quota held by running requests blocks it, and then nothing is stored', async () => {
    const { id, revoked, edit } = await open(30)
    const refusal = { code: 'quota_below_held', params: { held: 30 } }
    await expect(edit(20)).rejects.toMatchObject(refusal)
    expect(revoked).toHaveLength(1)
    const row = await world.user(id)
    expect(row).toMatchObject({ quota: 100, quota_leased: 30 })
    expect(row.display_name).not.toBe('edited')
    expect(await edit(30)).toMatchObject({ quota: 30 })
  })

  test('an edit that leases do not block revokes none', async () => {
    const { revoked, edit } = await open(90)
    expect(await edit(95)).toMatchObject({ quota: 95 })
    await expect(edit(-1)).rejects.toMatchObject({ code: 'quota_out_of_range' })
    expect(revoked).toEqual([])
  })
})
