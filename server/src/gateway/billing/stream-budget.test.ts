import { expect, test } from 'vitest'
import { LedgerUnavailable } from '../../ledger/ledger.ts'
import type { HiddenOutput } from './hidden-output.ts'
import { StreamBudget } from './stream-budget.ts'

/** One unit per token, for prompt and output. */
const PRICE = {
  price_model: 'm',
  price_version: 't',
  model_ratio: 1,
  completion_ratio: 1,
  cache_ratio: 1,
  cache_write_ratio: 1,
}

const SLICE = 100
const PROMPT = 50
const BYTES_PER_TOKEN = 4

/** A hold on a balance, for the prompt and this many output tokens. */
function holdOn(balance: number, output = SLICE) {
  const hold = {
    amount: Math.min(balance, PROMPT + output),
    raises: 0,
    raise: async ({ max }: { max: number }) => {
      hold.raises += 1
      hold.amount = Math.max(hold.amount, Math.min(balance, max))
      return { type: 'held' as const }
    },
  }
  return hold
}

function allowanceOf(
  hold: Pick<ReturnType<typeof holdOn>, 'amount' | 'raise'>,
  said: { bytes: number },
  hidden: HiddenOutput | null = null,
) {
  return new StreamBudget({
    hold,
    price: PRICE,
    groupRatio: 1,
    headroomTokens: SLICE,
    promptTokensUpperBound: PROMPT,
    countPrompt: async () => PROMPT,
    countOutput: async () => Math.ceil(said.bytes / BYTES_PER_TOKEN),
    hidden,
  })
}

/** Outputs ten bytes at a time, up to `most`, until cut off. Returns the number of bytes. */
async function speak(budget: StreamBudget, said: { bytes: number }, most: number) {
  while (said.bytes < most) {
    said.bytes += 10
    if (!(await budget.covers(said.bytes))) return said.bytes
  }
  return said.bytes
}

test('with enough balance, at most one slice is held ahead, and nothing is counted', async () => {
  const said = { bytes: 0 }
  const hold = holdOn(100_000)
  expect(await speak(allowanceOf(hold, said), said, 5000)).toBe(5000)
  expect(hold.amount).toBeGreaterThanOrEqual(PROMPT + 5000)
  expect(hold.amount).toBeLessThanOrEqual(PROMPT + 5000 + SLICE)
  expect(hold.raises).toBeLessThan(100)
})

test('a hold below one slice is raised when half of it is used', () => {
  const hold = holdOn(100_000, 40)
  const budget = allowanceOf(hold, { bytes: 0 })
  expect(budget.covers(20)).toBe(true)
  expect(hold.raises).toBe(0)
  expect(budget.covers(21)).toBe(true)
  expect(hold.raises).toBe(1)
})

test('a stream is cut off where its balance ends, measured in tokens, not bytes', async () => {
  const said = { bytes: 0 }
  const tokens = 1000
  const spoken = await speak(allowanceOf(holdOn(PROMPT + tokens), said), said, 100_000)
  expect(spoken / BYTES_PER_TOKEN).toBeLessThanOrEqual(tokens)
  expect(spoken / BYTES_PER_TOKEN).toBeGreaterThan(tokens - 30)
})

test('a short balance is not requested again for every word', async () => {
  const said = { bytes: 0 }
  const hold = holdOn(PROMPT + 1000)
  await speak(allowanceOf(hold, said), said, 100_000)
  expect(hold.raises).toBeLessThan(60)
})

test.each([
  ['is not covered by it where the balance ends', 300, false],
  ['is raised for itself where there is enough', 100_000, true],
])('output beyond a raise in progress waits for the next: %s', async (_how, tokens, isCovered) => {
  const said = { bytes: 60 }
  const hold = holdOn(PROMPT + tokens)
  const budget = allowanceOf(hold, said)
  expect(budget.covers(said.bytes)).toBe(true)
  said.bytes = 4000
  expect(await budget.covers(said.bytes)).toBe(isCovered)
  expect(hold.raises).toBe(2)
})

test('a failed raise is retried by the next caller that needs it', async () => {
  const said = { bytes: 60 }
  const hold = holdOn(PROMPT + 100_000)
  const { raise } = hold
  hold.raise = async () => {
    hold.raise = raise
    throw new Error('lost')
  }
  const budget = allowanceOf(hold, said)
  expect(budget.covers(said.bytes)).toBe(true)
  said.bytes = 4000
  expect(await budget.covers(said.bytes)).toBe(true)
})

test('without the database, a stream continues as far as its hold', async () => {
  const said = { bytes: 0 }
  const hold = {
    amount: PROMPT + SLICE,
    raise: async () => {
      throw new LedgerUnavailable('away')
    },
  }
  const spoken = await speak(allowanceOf(hold, said), said, 100_000)
  expect(spoken / BYTES_PER_TOKEN).toBeLessThanOrEqual(SLICE)
  expect(spoken / BYTES_PER_TOKEN).toBeGreaterThan(SLICE - 30)
})

test('a free stream has no end', async () => {
  const said = { bytes: 0 }
  const budget = new StreamBudget({
    hold: { amount: 0, raise: async () => ({ type: 'held' }) },
    price: { ...PRICE, model_ratio: 0 },
    groupRatio: 1,
    headroomTokens: SLICE,
    promptTokensUpperBound: PROMPT,
    countPrompt: async () => PROMPT,
    countOutput: async () => said.bytes,
    hidden: null,
  })
  expect(await speak(budget, said, 50_000)).toBe(50_000)
})

/** A provider that writes ten hidden tokens a second, up to `tokensMax`. */
function hiddenAt(elapsedMs: () => number, tokensMax: number): HiddenOutput {
  const perMs = 10 / 1000
  return {
    elapsedMs,
    tokens: () => Math.ceil(elapsedMs() * perMs),
    msFor: (tokens) => tokens / perMs,
    tokensMax,
  }
}

test('hidden reasoning is held ahead of the time that passes', async () => {
  let elapsedMs = 0
  const hold = holdOn(100_000)
  const budget = allowanceOf(
    hold,
    { bytes: 0 },
    hiddenAt(() => elapsedMs, 1000),
  )
  for (; budget.growsInMs() < Infinity; elapsedMs += budget.growsInMs()) {
    expect(await budget.covers(0)).toBe(true)
    expect(hold.amount).toBeGreaterThanOrEqual(PROMPT + Math.min(1000, elapsedMs / 100))
    expect(hold.amount).toBeLessThanOrEqual(PROMPT + elapsedMs / 100 + SLICE + 1)
  }
  expect(hold.amount).toBe(PROMPT + 1000)
  elapsedMs = 3_600_000
  expect(await budget.covers(0)).toBe(true)
})

test('hidden reasoning ends where the balance ends, whatever was shown', async () => {
  let elapsedMs = 0
  const budget = allowanceOf(
    holdOn(PROMPT + 300),
    { bytes: 4 },
    hiddenAt(() => elapsedMs, 1000),
  )
  while (await budget.covers(4)) elapsedMs += budget.growsInMs()
  expect(elapsedMs).toBeGreaterThan(27_000)
  expect(elapsedMs).toBeLessThanOrEqual(30_100)
})
