import { expect, test } from 'vitest'
import { z } from 'zod'
import { ROLE } from '@tollgate/contract'
import type { Person } from '../../../testing/worlds/control-plane.ts'
import { describeFreshPlane } from '../../../testing/worlds/describe-planes.ts'
import { setRow } from '../../../testing/worlds/rows.ts'

const changesSchema = z.array(z.looseObject({ id: z.int(), key: z.string() }))

describeFreshPlane('confirming options', ['root', 'admin'], ({ plane, root, admin: adam }) => {
  const save = (as: Person, key: string, value: string) =>
    plane.call('PUT', '/api/option/', { as, body: { key, value } })

  const listWaiting = (as: Person) => plane.call('GET', '/api/option/unconfirmed', { as })

  const waitingIds = async () =>
    changesSchema.parse((await listWaiting(root)).data).map(({ id }) => id)

  const confirm = (as: Person, ids: number[], headers: Record<string, string> = {}) =>
    plane.call('POST', '/api/option/confirm', { as, body: { ids }, headers })

  const lastChange = async () => {
    const { data } = await plane.call('GET', '/api/option/changes', { as: adam })
    return changesSchema.parse(data)[0]
  }

  test('root and administrators see pending changes, without secrets', async () => {
    await save(root, 'SMTPServer', 'smtp.example')
    await save(adam, 'SMTPServer', 'evil.example')
    await save(adam, 'SMTPToken', 'the-token-of-mails')
    const answer = await listWaiting(root)
    expect(answer.data).toEqual([
      {
        id: expect.any(Number),
        key: 'SMTPServer',
        actor_id: adam.id,
        actor_name: adam.username,
        before: 'smtp.example',
        after: 'evil.example',
        created_at: Math.floor(plane.clock.now / 1000),
      },
      expect.objectContaining({ key: 'SMTPToken', before: '', after: '••••' }),
    ])
    expect((await listWaiting(adam)).text).toBe(answer.text)
    expect(answer.text).not.toContain('the-token-of-mails')
    expect(plane.logLines.join('')).not.toContain('the-token-of-mails')
    const said = plane.logLines.filter((line) => line.includes('root has to confirm'))
    expect(said).toHaveLength(2)
  })

  test('root confirms, and the history records it', async () => {
    await save(adam, 'SMTPServer', 'smtp.example')
    expect(await lastChange()).toMatchObject({ confirmed: false, confirmed_by: '' })
    const ids = await waitingIds()
    const answer = await confirm(root, ids)
    expect([answer.success, answer.message]).toEqual([true, ''])
    expect((await listWaiting(root)).data).toEqual([])
    expect(await lastChange()).toMatchObject({
      confirmed: true,
      confirmed_by: root.username,
      confirmed_at: Math.floor(plane.clock.now / 1000),
    })
    expect((await confirm(root, ids)).success).toBe(true)
  })

  test('an administrator confirms nothing, nor does a demoted root', async () => {
    await save(adam, 'SMTPServer', 'smtp.example')
    const ids = await waitingIds()
    const refused = await confirm(adam, ids)
    expect([refused.status, refused.success]).toEqual([200, false])
    await setRow(plane, 'users', root.id, { role: ROLE.admin })
    expect((await confirm(root, ids)).message).toBe(refused.message)
    expect(changesSchema.parse((await listWaiting(adam)).data)).toHaveLength(1)
  })

  test('a pending server address is another site, and the confirmed one is still the own site', async () => {
    const come = (origin: string) =>
      plane.call('POST', '/api/user/manage', { as: root, headers: { origin }, body: {} })
    const statuses = async () => [
      (await come('https://gate.example')).status,
      (await come('https://evil.example')).status,
    ]
    await save(root, 'ServerAddress', 'https://gate.example')
    expect(await statuses()).toEqual([200, 403])
    await save(adam, 'ServerAddress', 'https://evil.example')
    expect(plane.settings.current().ServerAddress).toBe('https://evil.example')
    expect(await statuses()).toEqual([200, 403])
    await confirm(root, await waitingIds())
    expect(await statuses()).toEqual([403, 200])
  })

  test('ids of changes are one to a hundred whole numbers', async () => {
    for (const ids of [[], [0], Array.from({ length: 101 }, (_, index) => index + 1)]) {
      const { success, message } = await confirm(root, ids)
      expect([success, message]).toEqual([false, expect.stringContaining('ids')])
    }
  })
})
