import { beforeAll, expect, test } from 'vitest'
import { ownBillingEndpoints, ROLE } from '@tollgate/contract'
import { accessTokenOf, type Person } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { setRow } from '../../../testing/worlds/rows.ts'
import { reminderLink, reminderLinkText } from '../../text/reminder-link.ts'

const EMAIL = 'alice@example.com'

describePlanes('reminders on %s', [], ({ plane }) => {
  let alice: Person

  beforeAll(async () => {
    alice = await plane.addPerson(ROLE.user, 1000)
    await setRow(plane, 'users', alice.id, { email: EMAIL })
  })

  const headers = () => ({ authorization: accessTokenOf(alice) })
  const read = async () => {
    const { data } = await plane.call('GET', '/api/user/reminder', { headers: headers() })
    return ownBillingEndpoints.getReminder.parts.data.parse(data)
  }
  const set = (below: unknown) =>
    plane.call('PUT', '/api/user/reminder', { headers: headers(), body: { below } })
  const stop = (body: object) => plane.call('POST', '/api/user/reminder/stop', { body })
  const signed = (email: string, user_id = alice.id) => {
    const text = reminderLinkText(user_id, email)
    const link = new URL(reminderLink('https://x', user_id, plane.secrets.signReminder(text)))
    return { user_id, signature: link.searchParams.get('signature') }
  }

  test('a user sets a threshold, or switches the mails off', async () => {
    await plane.setOption('QuotaRemindThreshold', '700')
    const given = { site_below: 700, email: EMAIL, sends_mail: false }
    expect(await read()).toEqual({ ...given, below: null })
    for (const below of [2_500_000, 0, 700]) {
      expect(await set(below)).toMatchObject({ success: true })
      expect((await read()).below).toBe(below)
    }
    const message = expect.stringContaining('below')
    for (const below of [-1, 1e18]) {
      expect(await set(below)).toMatchObject({ success: false, message })
    }
  })

  test('the link of a mail switches them off, for that account and address alone', async () => {
    await set(900)
    const other = await plane.addPerson(ROLE.user)
    const message = expect.stringMatching(/link is not valid/)
    for (const link of [
      { user_id: alice.id, signature: 'x' },
      { ...signed(EMAIL), user_id: other.id },
      signed('former@example.com'),
      signed('', 999_999),
    ]) {
      expect(await stop(link)).toMatchObject({ success: false, message })
    }
    expect((await read()).below).toBe(900)
    expect(await stop(signed(EMAIL))).toMatchObject({ success: true })
    expect((await read()).below).toBe(0)
    let refused = await stop(signed(EMAIL))
    for (let calls = 0; calls < 30 && refused.success; calls += 1)
      refused = await stop(signed(EMAIL))
    expect(refused).toMatchObject({ success: false, message: expect.stringMatching(/too many/i) })
  })
})
