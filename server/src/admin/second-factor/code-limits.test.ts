import { describe, expect, test } from 'vitest'
import { errorText } from '@tollgate/contract'
import type { Person } from '../../../testing/worlds/control-plane.ts'
import { describeWorlds } from '../../../testing/worlds/describe-planes.ts'
import { readUser } from '../../../testing/worlds/rows.ts'
import { cookieIn, openSecondFactorWorld } from '../../../testing/worlds/second-factor-world.ts'

const STEP_MS = 30_000
const WINDOW_MS = 20 * 60 * 1000

const WRONG = errorText('code_wrong', {}, 'en')
const EXPIRED = errorText('sign_in_expired', {}, 'en')

describeWorlds(openSecondFactorWorld, 'wrong codes on %s', (world) => {
  const wrongCode = (secret: string) => {
    const right = [-STEP_MS, 0, STEP_MS].map((offset) => world.codeOf(secret, offset))
    return ['000000', '111111', '222222', '333333'].find((code) => !right.includes(code)) ?? ''
  }

  const addOwner = async () => {
    const owner = await world.addPerson()
    return { owner, ...(await world.addTotp(owner)) }
  }

  test('the fifth wrong code ends a login, also among concurrent ones', async () => {
    const { owner, secret } = await addOwner()
    const { ticket } = await world.pending(owner)
    const code = wrongCode(secret)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => world.signInByCode({ ticket, code })),
    )
    const messages = answers.map(({ message }) => message)
    expect(messages.filter((message) => message === WRONG)).toHaveLength(5)
    expect(messages.filter((message) => message === EXPIRED)).toHaveLength(3)
    const right = { ticket, code: world.codeOf(secret) }
    expect((await world.signInByCode(right)).message).toBe(EXPIRED)
  })

  describe('an attacker who knows the password', () => {
    type Holding = { address: string; headers?: Record<string, string> }

    const guess = async (
      owner: Person,
      code: string,
      holding: Holding = { address: world.newAddress() },
    ) => world.signInByCode({ ticket: await world.ticketOf(owner), code }, holding)

    test('has ten guesses in twenty minutes from any address, and fifty a day', async () => {
      const { owner, secret } = await addOwner()
      const waits: string[] = []
      for (let round = 0; round < 6; round++) {
        for (let tries = 0; tries < 10; tries++) {
          const answer = await guess(owner, wrongCode(secret))
          expect(round < 5 ? answer.message : answer.status).toBe(round < 5 ? WRONG : 429)
        }
        const refused = await guess(owner, wrongCode(secret))
        expect(refused.status).toBe(429)
        waits.push(String(refused.headers['retry-after']))
        world.plane.clock.now += WINDOW_MS
      }
      const left = 24 * 3600 - 5 * 1200
      expect(waits).toEqual(['1200', '1200', '1200', '1200', '1200', String(left)])
    })

    test('has twenty from one address, for all accounts', async () => {
      const address = world.newAddress()
      const outcomes: number[] = []
      for (let each = 0; each < 3; each++) {
        const { owner, secret } = await addOwner()
        for (let tries = 0; tries < 9; tries++) {
          outcomes.push((await guess(owner, wrongCode(secret), { address })).status)
        }
      }
      expect(outcomes.filter((status) => status === 200)).toHaveLength(20)
    })

    test('does not lock the owner out of a browser or an address used before', async () => {
      const { owner, secret, recovery_codes } = await addOwner()
      const home = { address: world.newAddress() }
      const { ticket } = await world.pending(owner, home)
      const first = await world.signInByCode({ ticket, code: world.codeOf(secret) }, home)
      const device = { cookie: `device=${cookieIn(first, 'device')}` }
      for (let tries = 0; tries < 10; tries++) {
        await guess(owner, wrongCode(secret))
      }
      const [one = '', two = '', three = ''] = recovery_codes
      const stranger = await guess(owner, one)
      expect(stranger.status).toBe(429)
      expect((await guess(owner, two, home)).success).toBe(true)
      const elsewhere = { address: world.newAddress(), headers: device }
      expect((await guess(owner, three, elsewhere)).success).toBe(true)
    })

    test('gets no known browser by the password alone', async () => {
      const { owner, secret } = await addOwner()
      const { database, secrets } = world.plane
      const { password_hash } = await readUser({ database }, owner.id)
      // The device token that a reset by mail issues.
      const id = 'D'.repeat(43)
      const device = `${id}.${secrets.hashDevice(`${id}\n${owner.id}\n${password_hash}`)}`
      const headers = { cookie: `device=${device}` }
      for (let tries = 0; tries < 10; tries++) {
        await guess(owner, wrongCode(secret), { address: world.newAddress(), headers })
      }
      const more = await guess(owner, wrongCode(secret), { address: world.newAddress(), headers })
      expect(more.status).toBe(429)
      const without = await guess(owner, wrongCode(secret))
      expect(without.status).toBe(429)
    })
  })
})
