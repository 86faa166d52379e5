import type { ChargeBasis } from '@tollgate/contract'
import {
  type CountOptions,
  countPrompt,
  countText,
  NO_USAGE,
  type OutputForCounting,
  type RelayRequest,
  speechTokens,
  type Task,
  type Usage,
} from '@tollgate/relay'
import type { Counting } from './counting.ts'
import type { EstimateOutput } from './estimate.ts'
import type { Plausibility } from './usage-bounds.ts'

export type Metered = {
  usage: Usage
  source: ChargeBasis['usage_source']
  /** The provider's report, if it is implausible for this request. */
  overruled?: Usage
}

type Output = {
  /** The upstream's report, if any. */
  reported: Usage | null
  /** Nothing of the answer is missing, so the report can be complete too. */
  complete: boolean
  /** The report may include output withheld from the client, who does not pay for that. */
  withheld?: boolean
  text: () => OutputForCounting
  /** Absent if all of the output can be counted. */
  estimate?: EstimateOutput | undefined
  /** The answer itself, for tasks that are not measured by their text. Null if there is none. */
  body: Buffer | null
}

/** The tokens to charge: as reported if plausible, else counted. */
export async function meter(
  request: RelayRequest,
  output: Output,
  how: Counting & { readonly completionRatio: number; readonly plausibility: Plausibility },
): Promise<Metered> {
  const reported = request.task?.paysTokens?.(how) === false ? null : output.reported
  if (reported === null) return take(request, { ...output, reported }, how)
  const isPlausible = how.plausibility.isPlausible(reported, how)
  // Nearly all reports are judged synchronously.
  if (!(isPlausible instanceof Promise ? await isPlausible : isPlausible)) {
    return overrule(request, { ...output, reported }, how)
  }
  const taken = output.withheld === true ? promptOf(reported) : reported
  return take(request, { ...output, reported: taken }, how)
}

async function overrule(
  request: RelayRequest,
  { reported, ...output }: Output & { reported: Usage },
  how: Counting & { readonly completionRatio: number },
): Promise<Metered> {
  const counted = await take(request, { ...output, reported: null }, how)
  return { ...counted, source: 'overruled', overruled: reported }
}

function promptOf({ kinds, ...reported }: Usage): Usage {
  const ofPrompt = kinds?.filter(({ kind }) => kind !== 'audio_completion')
  const usage = { ...reported, completionTokens: 0, reasoningTokens: 0 }
  return ofPrompt === undefined ? usage : { ...usage, kinds: ofPrompt }
}

/** A report from the middle of an answer has the prompt, and a lower bound of the output. */
async function take(
  request: RelayRequest,
  { reported, complete, text, body, estimate }: Output,
  how: Counting & { readonly completionRatio: number },
): Promise<Metered> {
  if (request.task !== undefined) {
    if (reported !== null) return { source: 'reported', usage: reported }
    return measureTask(request.task, body, how)
  }
  if (reported === null) {
    const promptTokens = await countPrompt(request, how)
    const said = await countSaid(text(), how)
    const counted = { source: how.source(), usage: { ...NO_USAGE, promptTokens, ...said } }
    return atLeast(counted, estimate)
  }
  // No prompt is empty. A report without prompt tokens covers the output only.
  const told =
    reported.promptTokens > 0
      ? reported
      : { ...reported, promptTokens: await countPrompt(request, how) }
  const source = told === reported ? 'reported' : how.source()
  if (complete && (told.completionTokens > 0 || request.endpoint === 'embeddings')) {
    return { source, usage: told }
  }
  const said = await countSaid(text(), how)
  if (said.completionTokens <= told.completionTokens) {
    return atLeast({ source, usage: told }, estimate)
  }
  const kinds = said.kinds && [...(promptOf(told).kinds ?? []), ...said.kinds]
  const usage = { ...told, ...said, ...(kinds && { kinds }) }
  return atLeast({ source: how.source(), usage }, estimate)
}

async function measureTask(
  task: Task,
  body: Buffer | null,
  how: Counting & { readonly completionRatio: number },
): Promise<Metered> {
  let overruled: Usage | undefined
  const onOverruled = (reported: Usage) => (overruled = reported)
  const usage = await task.measure(body, { ...how, onOverruled })
  return overruled === undefined
    ? { source: how.source(), usage }
    : { source: 'overruled', usage, overruled }
}

/** What arrived of an answer may be less than what was written. */
export function atLeast(seen: Metered, estimate: EstimateOutput | undefined): Metered {
  const { usage } = seen
  const completionTokens = estimate?.(usage.promptTokens) ?? 0
  if (completionTokens <= usage.completionTokens) return seen
  return { source: 'estimated', usage: { ...usage, completionTokens } }
}

async function countSaid(
  said: OutputForCounting,
  how: Counting,
): Promise<Pick<Usage, 'completionTokens' | 'kinds'>> {
  const completionTokens = await countOutput(said, how)
  const tokens = speechIn(said, how.model)
  if (tokens === 0) return { completionTokens }
  return { completionTokens, kinds: [{ kind: 'audio_completion', tokens }] }
}

/** Counts text and speech, and adds the estimate for output that was too long to keep. */
export async function countOutput(
  said: OutputForCounting,
  how: CountOptions & { readonly model: string },
): Promise<number> {
  const uncounted = said.tokensBeyond + speechIn(said, how.model)
  if (uncounted > 0) how.onEstimate?.()
  if (said.text === '') return uncounted
  return uncounted + (await countText(how.model, said.text, how))
}

const speechIn = ({ speechSeconds = 0 }: OutputForCounting, model: string) =>
  speechTokens(model, speechSeconds)
