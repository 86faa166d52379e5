import { expect, test } from 'vitest'
import { GrantAttempts } from './grant-attempts.ts'

test('a repeated grant keeps its id until all grants are cleared', async () => {
  const attempts = new GrantAttempts()
  const ids: string[] = []
  const grant = { userId: 1, quota: 500, remark: '' }
  const credit = async (id: string) => ids.push(id)
  const fail = async (id: string) => {
    ids.push(id)
    throw new Error('the answer was lost')
  }
  await expect(attempts.run(grant, fail)).rejects.toThrow('the answer was lost')
  expect(attempts.isDone(grant)).toBe(false)
  await attempts.run(grant, credit)
  expect(attempts.isDone(grant)).toBe(true)
  for (const other of [{ userId: 2 }, { quota: 501 }, { remark: 'again' }]) {
    expect(attempts.isDone({ ...grant, ...other })).toBe(false)
    await attempts.run({ ...grant, ...other }, credit)
  }
  expect(ids[1]).toBe(ids[0])
  expect(new Set(ids).size).toBe(4)

  attempts.clear()
  expect(attempts.isDone(grant)).toBe(false)
  await attempts.run(grant, credit)
  expect(new Set(ids).size).toBe(5)
})
