import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { ROLE } from '@tollgate/contract'
import { DATABASES } from '../../testing/harness/databases.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { openControlPlane } from '../../testing/worlds/control-plane.ts'

describe.each(DATABASES)('while %s is read-only', (kind) => {
  const plane = openPerTest(() => openControlPlane(kind))

  afterEach(() => setReadOnly(false))

  /** As after a failover to a standby: sessions that begin later cannot write. */
  async function setReadOnly(isOn: boolean) {
    const { kysely } = plane.database
    if (kind === 'sqlite') {
      await sql`pragma query_only = ${sql.raw(isOn ? 'on' : 'off')}`.execute(kysely)
      return
    }
    const setting = sql.raw(`set default_transaction_read_only = ${isOn ? 'on' : 'off'}`)
    await kysely
      .transaction()
      .setAccessMode('read write')
      .execute(async (tx) => {
        const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(tx)
        await sql`alter database ${sql.id(rows[0]?.name ?? '')} ${setting}`.execute(tx)
      })
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(kysely)
    await sql
      .raw(`set session characteristics as transaction read ${isOn ? 'only' : 'write'}`)
      .execute(kysely)
  }

  test('calls that write are answered with 503, and calls that read are served', async () => {
    const as = await plane.addPerson(ROLE.root)
    await setReadOnly(true)
    const body = { key: 'Notice', value: 'x' }
    const save = () => plane.call('PUT', '/api/option/', { as, body })
    const message = 'The database does not answer. Try again shortly.'
    expect(await save()).toMatchObject({ status: 503, success: false, message })
    expect((await plane.call('GET', '/api/notice')).status).toBe(200)
    await setReadOnly(false)
    expect(await save()).toMatchObject({ status: 200, success: true })
  })
})
