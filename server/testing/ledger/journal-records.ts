import { userAccount } from '../../src/ledger/account.ts'
import type { EndRecord, OpenRecord, JournalRecord } from '../../src/ledger/record.ts'

const AT = 1_790_000_000

/** With all members, so that a reader that drops one differs. */
const contextOf = (requestId: string): Required<OpenRecord['context']> => ({
  requestId,
  userId: 7,
  username: 'alice',
  tokenId: 11,
  tokenName: 'main',
  model: 'gpt-4o-mini',
  isStream: true,
  endpoint: 'chat',
  openedAt: AT,
  tokenLimited: true,
  budget: 'day',
  timeZone: 'Asia/Shanghai',
})

export const opened = (requestId: string): OpenRecord => ({
  kind: 'open',
  context: contextOf(requestId),
  at: AT,
})

/** A charge of 30; the record has about 1.3 kilobytes. */
export const settled = (requestId: string, content = ''): Required<EndRecord> => ({
  kind: 'end',
  context: contextOf(requestId),
  at: AT,
  outcome: 'settled',
  cost: 30,
  basis: {
    price_model: 'gpt-4o-mini',
    price_version: '2026-10-01',
    model_ratio: 0.075,
    completion_ratio: 4,
    cache_ratio: 0.5,
    cache_write_ratio: 1,
    group: 'default',
    group_ratio: 1,
    prompt_tokens: 1000,
    cached_tokens: 0,
    cache_write_tokens: 0,
    completion_tokens: 300,
    reasoning_tokens: 0,
    usage_source: 'reported',
    held: 50,
    cost: 30,
  },
  held: 50,
  parts: [
    { account: userAccount(7), amount: 30 },
    { account: { kind: 'budget', ownerId: 11, period: AT }, amount: 30 },
  ],
  content,
  upstreamModel: 'gpt-4o-mini',
  channel: 3,
  elapsedMs: 1200,
  firstTokenMs: 300,
  endReason: 'stop',
  disconnectPolicy: 'drain',
  providerCost: 330_000,
  group: 'default',
  attempts: [
    {
      channel: 3,
      status: 200,
      reason: '',
      milliseconds: 1200,
      hedged: false,
      rescued: false,
      session: false,
      adapted: [],
      model: 'gpt-4o-mini',
      key: 'Xl3hkQ_a',
      prompt_tokens: 1000,
      cached_tokens: 0,
      cache_write_tokens: 0,
      completion_tokens: 300,
      cost: 330_000,
      cost_source: 'list',
      unbilled_prompt_tokens: 0,
      unbilled_completion_tokens: 0,
      unbilled_quota: 0,
    },
  ],
})

export const moved = (requestId: string): JournalRecord => ({
  kind: 'moved',
  requestId,
  run: 'next-epoch',
})
