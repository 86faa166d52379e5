import type { ChargeBasis } from '@tollgate/contract'
import {
  type CountOptions,
  countPrompt,
  countText,
  NO_USAGE,
  type CountableOutput,
  type RelayRequest,
  speechTokens,
  type Task,
  type Usage,
} from '@tollgate/relay'
import type { RelayContext } from '../context.ts'
import { createTokenCounter, type TokenCounter } from './counting.ts'
import type { EstimateOutput } from './estimate.ts'
import type { PricedTarget } from './terms.ts'
import { Plausibility, type VisibleOutput } from './usage-bounds.ts'

export type Metered = {
  usage: Usage
  source: ChargeBasis['usage_source']
  /** The provider's report, if it is implausible for this request. */
  overruled?: Usage
  /** The provider's report, if it includes output that is not charged. */
  billed?: Usage
}

type Output = {
  /** The upstream's report, if any. */
  reported: Usage | null
  /** Nothing of the answer is missing, so the report can be complete too. */
  complete: boolean
  /** The report may include output withheld from the client, who does not pay for that. */
  withheld?: boolean
  text: () => CountableOutput
  /** Absent if all of the output can be counted. */
  estimate?: EstimateOutput | undefined
  /** The answer itself, for tasks that are not measured by their text. Null if there is none. */
  body: Buffer | null
}

type AnswerCounter = TokenCounter & { readonly completionRatio: number }

type MeteredContext = Pick<RelayContext, 'parsedRequest' | 'authorization' | 'terms' | 'user'>

/** Judges and counts one answer. The counter is made on its first use: most reports suffice. */
export class Metering {
  readonly plausibility: Plausibility
  readonly #context: MeteredContext
  readonly #target: PricedTarget
  #counter: AnswerCounter | null = null

  constructor(context: MeteredContext, target: PricedTarget, visible: VisibleOutput) {
    this.plausibility = new Plausibility(context, target, visible)
    this.#context = context
    this.#target = target
  }

  get counter(): AnswerCounter {
    return (this.#counter ??= this.#createCounter())
  }

  #createCounter(): AnswerCounter {
    const { terms, user } = this.#context
    const { upstreamModel: model, price } = this.#target
    const counter = createTokenCounter(terms.options, { model, user })
    return { ...counter, completionRatio: price.completion_ratio }
  }
}

/** The tokens to charge: as reported if plausible, else counted. A promise if any are counted. */
export function meter(
  request: RelayRequest,
  output: Output,
  metering: Metering,
): Metered | Promise<Metered> {
  const { task } = request
  const reported = task?.chargesTokens?.(metering.counter) === false ? null : output.reported
  if (reported === null) return meterReport(request, { ...output, reported }, metering.counter)
  const given = { ...output, reported }
  const isPlausible = metering.plausibility.isPlausible(reported, metering)
  return isPlausible instanceof Promise
    ? isPlausible.then((verdict) => meterJudged(request, given, metering, verdict))
    : meterJudged(request, given, metering, isPlausible)
}

function meterJudged(
  request: RelayRequest,
  output: Output & { reported: Usage },
  metering: Metering,
  isPlausible: boolean,
): Metered | Promise<Metered> {
  const { reported } = output
  if (!isPlausible) return overrule(request, output, metering.counter)
  if (output.withheld === true) return meterWithheld(request, output, metering.counter)
  if (isSufficient(reported, request, output)) return { source: 'reported', usage: reported }
  return meterReport(request, output, metering.counter)
}

async function meterWithheld(
  request: RelayRequest,
  { reported, ...output }: Output & { reported: Usage },
  counter: AnswerCounter,
): Promise<Metered> {
  const chargeable = promptOf(reported)
  const metered = isSufficient(chargeable, request, output)
    ? { source: 'reported' as const, usage: chargeable }
    : await meterReport(request, { ...output, reported: chargeable }, counter)
  return { ...metered, billed: reported }
}

/** Nothing of the answer needs to be counted in addition. No prompt is empty. */
const isSufficient = (
  { promptTokens, completionTokens }: Usage,
  { task, endpoint }: RelayRequest,
  { complete }: Pick<Output, 'complete'>,
): boolean =>
  task !== undefined ||
  (complete && promptTokens > 0 && (completionTokens > 0 || endpoint === 'embeddings'))

async function overrule(
  request: RelayRequest,
  { reported, ...output }: Output & { reported: Usage },
  counter: AnswerCounter,
): Promise<Metered> {
  const counted = await meterReport(request, { ...output, reported: null }, counter)
  return { ...counted, source: 'overruled', overruled: reported }
}

function promptOf({ kinds, ...reported }: Usage): Usage {
  const promptKinds = kinds?.filter(({ kind }) => kind !== 'audio_completion')
  const usage = { ...reported, completionTokens: 0, reasoningTokens: 0 }
  return promptKinds === undefined ? usage : { ...usage, kinds: promptKinds }
}

/** A report from the middle of an answer has the prompt, and a lower bound of the output. */
async function meterReport(
  request: RelayRequest,
  { reported, complete, text, body, estimate }: Output,
  counter: AnswerCounter,
): Promise<Metered> {
  if (request.task !== undefined) return measureTask(request.task, body, counter)
  if (reported === null) {
    const promptTokens = await countPrompt(request, counter)
    const delivered = await countDelivered(text(), counter)
    const counted = {
      source: counter.source(),
      usage: { ...NO_USAGE, promptTokens, ...delivered },
    }
    return raiseToEstimate(counted, estimate)
  }
  // No prompt is empty. A report without prompt tokens covers the output only.
  const report =
    reported.promptTokens > 0
      ? reported
      : { ...reported, promptTokens: await countPrompt(request, counter) }
  const source = report === reported ? 'reported' : counter.source()
  if (complete && (report.completionTokens > 0 || request.endpoint === 'embeddings')) {
    return { source, usage: report }
  }
  const delivered = await countDelivered(text(), counter)
  if (delivered.completionTokens <= report.completionTokens) {
    return raiseToEstimate({ source, usage: report }, estimate)
  }
  const kinds = delivered.kinds && [...(promptOf(report).kinds ?? []), ...delivered.kinds]
  const usage = { ...report, ...delivered, ...(kinds && { kinds }) }
  return raiseToEstimate({ source: counter.source(), usage }, estimate)
}

async function measureTask(
  task: Task,
  body: Buffer | null,
  counter: AnswerCounter,
): Promise<Metered> {
  let overruled: Usage | undefined
  const onOverruled = (reported: Usage) => (overruled = reported)
  const usage = await task.measure(body, { ...counter, onImplausible: onOverruled })
  return overruled === undefined
    ? { source: counter.source(), usage }
    : { source: 'overruled', usage, overruled }
}

/** What arrived of an answer may be less than what was written. */
export function raiseToEstimate(metered: Metered, estimate: EstimateOutput | undefined): Metered {
  const { usage } = metered
  const completionTokens = estimate?.(usage.promptTokens) ?? 0
  if (completionTokens <= usage.completionTokens) return metered
  return { source: 'estimated', usage: { ...usage, completionTokens } }
}

async function countDelivered(
  output: CountableOutput,
  counter: TokenCounter,
): Promise<Pick<Usage, 'completionTokens' | 'kinds'>> {
  const completionTokens = await countOutput(output, counter)
  const tokens = speechIn(output, counter.model)
  if (tokens === 0) return { completionTokens }
  return { completionTokens, kinds: [{ kind: 'audio_completion', tokens }] }
}

/** Counts text and speech, and adds the estimate for output that was too long to keep. */
export async function countOutput(
  output: CountableOutput,
  counter: CountOptions & { readonly model: string },
): Promise<number> {
  const uncounted = output.tokensBeyond + speechIn(output, counter.model)
  if (uncounted > 0) counter.onEstimate?.()
  if (output.text === '') return uncounted
  return uncounted + (await countText(counter.model, output.text, counter))
}

const speechIn = ({ speechSeconds = 0 }: CountableOutput, model: string) =>
  speechTokens(model, speechSeconds)
