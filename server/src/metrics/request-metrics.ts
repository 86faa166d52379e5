import { Counter, Histogram } from '@prometheus-io/client'
import type { ChargeBasis } from '@tollgate/contract'
import type { EndRecord } from '../ledger/record.ts'

/** What the gateway and the ledger report as it happens. */
export type RequestMetrics = {
  /** An admitted request has ended. */
  ended: (record: EndRecord) => void
  /** A request was refused before it was admitted, or its channels all failed. */
  refused: (refusal: { status: number; code: string | null }) => void
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
  const meters = createMeters()
  const models = new Set<string>()

  /** Requests that no channel served may name any model. */
  const modelLabel = ({ channel, context: { model } }: EndRecord): string => {
    if (models.has(model)) return model
    if (channel === 0 || models.size === MODELS_MAX) return OTHER_MODEL
    models.add(model)
    return model
  }

  return {
    ended: (record) => {
      const model = modelLabel(record)
      const { outcome, endReason, context, attempts, basis, cost } = record
      const stream = String(context.isStream)
      meters.requests.inc({ model, outcome, reason: endReason, stream })
      meters.duration.observe({ stream }, record.elapsedMs / MS)
      if (context.isStream && record.firstTokenMs > 0) {
        meters.firstToken.observe({ channel: record.channel }, record.firstTokenMs / MS)
      }
      for (const { channel, status, cost = 0 } of attempts) {
        meters.attempts.inc({ channel, status })
        if (cost > 0) meters.providerCost.inc({ channel }, cost / NANO)
      }
      if (basis === null) return
      if (cost > 0) meters.charged.inc({ model }, cost / quotaPerDollar())
      for (const [kind, tokens] of tokensOf(basis)) {
        if (tokens > 0) meters.tokens.inc({ model, kind }, tokens)
      }
    },
    refused: ({ status, code }) => meters.refusals.inc({ status, code: code ?? '' }),
  }
}

/** The kinds add up to all tokens; reasoning is part of the output. */
const tokensOf = (basis: ChargeBasis) =>
  [
    ['input', basis.prompt_tokens - basis.cached_tokens - basis.cache_write_tokens],
    ['cached_input', basis.cached_tokens],
    ['cache_write', basis.cache_write_tokens],
    ['output', basis.completion_tokens],
  ] as const

const createMeters = () => ({
  requests: new Counter({
    name: 'tollgate_requests_total',
    help: 'Admitted requests that have ended.',
    labelNames: ['model', 'outcome', 'reason', 'stream'],
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
  }),
  providerCost: new Counter({
    name: 'tollgate_provider_cost_dollars_total',
    help: 'What attempts cost the operator, where it is known.',
    labelNames: ['channel'],
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
  }),
  charged: new Counter({
    name: 'tollgate_charged_dollars_total',
    help: 'Charges to users.',
    labelNames: ['model'],
  }),
})
