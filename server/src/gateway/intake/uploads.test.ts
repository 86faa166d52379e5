import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FairSemaphore } from './fair-semaphore.ts'
import { type Upload, Uploads } from './uploads.ts'

const LIMITS = {
  arrivingBytesMax: 1000,
  userArrivingBytesMax: 300,
  addressArrivingBytesMax: 600,
  decompressionsMax: 1,
}

const codeOf = ({ refusal }: Upload) => refusal?.code ?? null

test('a user who holds more than their share loses the growing upload', () => {
  const uploads = new Uploads(LIMITS)
  const first = uploads.open({ user: 1, address: 'a' })
  const second = uploads.open({ user: 1, address: 'b' })
  const other = uploads.open({ user: 2, address: 'a' })
  for (const upload of [first, other]) upload.add(200)
  second.add(101)
  expect([first, second, other].map(codeOf)).toEqual([null, 'too_many_uploads', null])
  expect(second.refusal).toMatchObject({ status: 429, retryAfterSeconds: 2 })
  expect(second.refusal?.message).toContain('This account')
  expect(uploads.bytes).toBe(400)
})

test('the user with the most bytes of an address beyond its share is refused', () => {
  const uploads = new Uploads(LIMITS)
  const open = (user: number, address: string, bytes: number) => {
    const upload = uploads.open({ user, address })
    upload.add(bytes)
    return upload
  }
  const [small, large, other] = [open(1, 'a', 290), open(2, 'a', 300), open(3, 'b', 10)]
  const late = open(4, 'a', 11)
  expect([small, large, other, late].map(codeOf)).toEqual([null, 'too_many_uploads', null, null])
  expect(large.refusal?.message).toContain('Your address')
  expect(uploads.bytes).toBe(311)
})

test('an IPv6 network of one subscriber is one address', () => {
  const uploads = new Uploads({ ...LIMITS, addressArrivingBytesMax: 100 })
  const first = uploads.open({ user: 1, address: '2001:db8::1' })
  first.add(60)
  const second = uploads.open({ user: 2, address: '2001:db8::2' })
  second.add(50)
  expect(codeOf(first)).toBe('too_many_uploads')
})

test('if all bytes are scarce, the user with the most bytes loses their largest upload', () => {
  const uploads = new Uploads(LIMITS)
  const told: string[] = []
  const open = (name: string, user: number, bytes: number) => {
    const upload = uploads.open({ user, address: name }, () => told.push(name))
    upload.add(bytes)
    return upload
  }
  open('a', 1, 250)
  open('b', 2, 260)
  open('d', 3, 110)
  const largest = open('c', 3, 180)
  open('e', 4, 150)
  expect(told).toEqual([])
  const late = open('f', 5, 60)
  expect(told).toEqual(['c'])
  expect(codeOf(largest)).toBe('server_busy')
  expect(largest.refusal).toMatchObject({ status: 503, retryAfterSeconds: 2 })
  expect(codeOf(late)).toBeNull()
  // Bytes that arrive after the refusal are not counted.
  largest.add(500)
  expect(uploads.bytes).toBe(830)
})

test('held bytes never exceed a limit, and closed uploads leave nothing behind', () => {
  const step = fc.record({
    user: fc.integer({ min: 1, max: 4 }),
    address: fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.3'),
    bytes: fc.integer({ min: 0, max: 400 }),
    closes: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const uploads = new Uploads(LIMITS)
      const open: { upload: Upload; user: number; address: string }[] = []
      const sumOf = (held: typeof open) => held.reduce((sum, { upload }) => sum + upload.bytes, 0)
      for (const { user, address, bytes, closes } of steps) {
        const upload = uploads.open({ user, address })
        open.push({ upload, user, address })
        upload.add(bytes)
        if (closes) upload.close()
        if (closes) open.pop()
        const held = open.filter((one) => one.upload.refusal === null)
        expect(uploads.bytes).toBe(sumOf(held))
        expect(uploads.bytes).toBeLessThanOrEqual(LIMITS.arrivingBytesMax)
        const [ofUser, ofAddress] = [
          held.filter((one) => one.user === user),
          held.filter((one) => one.address === address),
        ]
        expect(sumOf(ofUser)).toBeLessThanOrEqual(LIMITS.userArrivingBytesMax)
        expect(sumOf(ofAddress)).toBeLessThanOrEqual(LIMITS.addressArrivingBytesMax)
      }
      for (const { upload } of open) upload.close()
      expect([uploads.bytes, uploads.holders]).toEqual([0, 0])
    }),
  )
})

test('users take turns, however many turns one of them waits for', async () => {
  const turns = new FairSemaphore(2)
  const served: string[] = []
  const work = async (user: number, name: string) => {
    await turns.acquire(user)
    served.push(name)
  }
  const all = [
    work(1, 'a1'),
    work(1, 'a2'),
    work(1, 'a3'),
    work(1, 'a4'),
    work(2, 'b1'),
    work(3, 'c1'),
    work(2, 'b2'),
  ]
  await Promise.resolve()
  expect(served).toEqual(['a1', 'a2'])
  for (let left = 5; left > 0; left -= 1) {
    turns.release()
    await new Promise((resolve) => setImmediate(resolve))
    expect(served).toHaveLength(7 - left + 1)
  }
  await Promise.all(all)
  expect(served).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2'])
})

test('a free turn is granted at once, and every turn is released', () => {
  const turns = new FairSemaphore(1)
  expect(turns.acquire(1)).toBeUndefined()
  expect(turns.acquire(1)).toBeInstanceOf(Promise)
  turns.release()
  turns.release()
  expect(turns.acquire(2)).toBeUndefined()
  expect(turns.acquire(2)).toBeInstanceOf(Promise)
})
