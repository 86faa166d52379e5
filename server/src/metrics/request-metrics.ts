import { Counter, Histogram, type LabelValues } from '@prometheus-io/client'
import { CLAIMED_JOBS, type ClaimedJob } from '../jobs/claims.ts'
import type { EndRecord } from '../ledger/record.ts'

/** What the gateway and the ledger report as it happens. */
export type RequestMetrics = {
  /** An admitted request has ended. */
  ended: (record: EndRecord) => void
  /** A request was refused before it was admitted, or its channels all failed. */
  refused: (refusal: { status: number; code: string | null }) => void
  /** This process has claimed a piece of scheduled work. */
  claimed: (job: ClaimedJob) => void
}

/** Reasoning models answer after minutes, so the bounds go far. */
const DURATION_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]
const FIRST_TOKEN_SECONDS = [0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 10, 30, 60, 120]
const MS = 1000
const NANO = 1e9
/** Bounds the label `model`, whatever operators and their channels list. */
const MODELS_MAX = 1000
const OTHER_MODEL = 'other'

type RequestMetricsDeps = { quotaPerDollar: () => number }

export function createRequestMetrics({ quotaPerDollar }: RequestMetricsDeps): RequestMetrics {
  const sums = { models: new Map<string, ModelSums>(), channels: new Map<number, ChannelSums>() }
  const meters = createMeters(() => flush(sums, meters))
  // A node that has claimed nothing says so.
  for (const job of CLAIMED_JOBS) meters.claims.inc({ kind: job }, 0)

  /** Requests that no channel served may name any model. */
  const sumsOfModel = ({ channel, context: { model } }: EndRecord): ModelSums => {
    const known = sums.models.get(model)
    if (known !== undefined) return known
    if (channel === 0 || sums.models.size >= MODELS_MAX)
      return entry(sums.models, OTHER_MODEL, noUse)
    return entry(sums.models, model, noUse)
  }

  return {
    ended: (record) => {
      const { outcome, endReason, context, attempts, basis, cost } = record
      const model = sumsOfModel(record)
      const kind = context.isStream ? 'streams' : 'wholes'
      const ends = entry(model[kind], endReason, noEnds)
      ends[outcome] += 1
      meters.duration.observe(context.isStream ? STREAM : WHOLE, record.elapsedMs / MS)
      if (context.isStream && record.firstTokenMs > 0) {
        meters.firstToken.observe({ channel: record.channel }, record.firstTokenMs / MS)
      }
      for (const { channel, status, cost = 0 } of attempts) {
        const asked = entry(sums.channels, channel, noAttempts)
        asked.attempts.set(status, (asked.attempts.get(status) ?? 0) + 1)
        asked.dollars += cost / NANO
      }
      if (basis === null) return
      model.dollars += cost / quotaPerDollar()
      // The kinds add up to all tokens; reasoning is part of the output.
      const { prompt_tokens: prompt, cached_tokens: cached, cache_write_tokens: written } = basis
      model.input += Math.max(0, prompt - cached - written)
      model.cached_input += cached
      model.cache_write += written
      model.output += basis.completion_tokens
    },
    claimed: (job) => meters.claims.inc({ kind: job }),
    refused: ({ status, code }) => meters.refusals.inc({ status, code: code ?? '' }),
  }
}

const WHOLE = { stream: 'false' }
const STREAM = { stream: 'true' }

/** Amounts since the last scrape. The library takes half a microsecond for each of its counters. */
type Sums = {
  readonly models: ReadonlyMap<string, ModelSums>
  readonly channels: ReadonlyMap<number, ChannelSums>
}

type Ends = Record<EndRecord['outcome'], number>

type ModelSums = ReturnType<typeof noUse>
type ChannelSums = ReturnType<typeof noAttempts>

const noEnds = (): Ends => ({ settled: 0, void: 0 })
const noUse = () => ({
  /** By end reason. */
  streams: new Map<string, Ends>(),
  wholes: new Map<string, Ends>(),
  dollars: 0,
  input: 0,
  cached_input: 0,
  cache_write: 0,
  output: 0,
})
const noAttempts = () => ({ attempts: new Map<number, number>(), dollars: 0 })

function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = make()))
  return value
}

const KINDS = ['input', 'cached_input', 'cache_write', 'output'] as const

/** Moves the amounts to the counters of the library. */
function flush({ models, channels }: Sums, meters: ReturnType<typeof createMeters>) {
  const add = <Label extends string>(
    counter: Counter<Label>,
    labels: LabelValues<Label>,
    amount: number,
  ) => {
    if (amount > 0) counter.inc(labels, amount)
  }
  for (const [model, sums] of models) {
    for (const [stream, reasons] of [
      ['true', sums.streams],
      ['false', sums.wholes],
    ] as const) {
      for (const [reason, ends] of reasons) {
        add(meters.requests, { model, outcome: 'settled', reason, stream }, ends.settled)
        add(meters.requests, { model, outcome: 'void', reason, stream }, ends.void)
        Object.assign(ends, noEnds())
      }
    }
    add(meters.charged, { model }, sums.dollars)
    sums.dollars = 0
    for (const kind of KINDS) {
      add(meters.tokens, { model, kind }, sums[kind])
      sums[kind] = 0
    }
  }
  for (const [channel, sums] of channels) {
    add(meters.providerCost, { channel }, sums.dollars)
    sums.dollars = 0
    for (const [status, count] of sums.attempts) {
      add(meters.attempts, { channel, status }, count)
      sums.attempts.set(status, 0)
    }
  }
}

/** `collect` runs at each scrape, before the counter is read. */
const createMeters = (collect: () => void) => ({
  requests: new Counter({
    name: 'tollgate_requests_total',
    help: 'Admitted requests that have ended.',
    labelNames: ['model', 'outcome', 'reason', 'stream'],
    collect,
  }),
  refusals: new Counter({
    name: 'tollgate_refusals_total',
    help: 'Error answers of the gateway itself, by status and code.',
    labelNames: ['status', 'code'],
  }),
  attempts: new Counter({
    name: 'tollgate_upstream_attempts_total',
    help: 'Requests to providers. The status is 0 if there was no response.',
    labelNames: ['channel', 'status'],
    collect,
  }),
  providerCost: new Counter({
    name: 'tollgate_provider_cost_dollars_total',
    help: 'What attempts cost the operator, where it is known.',
    labelNames: ['channel'],
    collect,
  }),
  duration: new Histogram({
    name: 'tollgate_request_duration_seconds',
    help: 'Time from the arrival of an admitted request to its end.',
    labelNames: ['stream'],
    buckets: DURATION_SECONDS,
  }),
  firstToken: new Histogram({
    name: 'tollgate_first_token_seconds',
    help: 'Time from the arrival of a stream to its first token, by channel.',
    labelNames: ['channel'],
    buckets: FIRST_TOKEN_SECONDS,
  }),
  tokens: new Counter({
    name: 'tollgate_tokens_total',
    help: 'Charged tokens by kind.',
    labelNames: ['model', 'kind'],
    collect,
  }),
  claims: new Counter({
    name: 'tollgate_scheduled_claims_total',
    help: 'Pieces of scheduled work that this node has claimed.',
    labelNames: ['kind'],
  }),
  charged: new Counter({
    name: 'tollgate_charged_dollars_total',
    help: 'Charges to users.',
    labelNames: ['model'],
    collect,
  }),
})
