import type { RelayRequest } from '@tollgate/relay'
import type { Failed } from './attempt-outcome.ts'
import type { RunningAttempt } from './running-attempt.ts'

/** Statuses of an address without the path. */
const LACKS_API: ReadonlySet<number> = new Set([404, 405, 501])
/** The content is that of another account (openai/codex#8119). */
const UNREADABLE_CONTENT = 'invalid_encrypted_content'
/** The same without a code (openai/openai-agents-python#2063, vercel/ai#7543). */
const UNREADABLE_TEXT =
  /encrypted content .* could not be verified|Item with id '?rs_|without its required '?reasoning/s
const BAD_REQUESTS: ReadonlySet<number> = new Set([400, 404, 422])

/** What the next attempts of a request change, because a provider has refused it. */
export class RequestChanges {
  /** A provider could not read the encrypted reasoning in the request. */
  dropsReasoning = false
  /** A provider of the Responses API does not compact conversations. */
  asksForSummary = false

  /** True if the same channel is asked once more. */
  learn(
    { isTrial, probe, target }: RunningAttempt,
    { problem, status }: Pick<Failed, 'problem' | 'status'>,
    { native }: Pick<RelayRequest, 'native'>,
  ): boolean {
    const lacksApi = isTrial && LACKS_API.has(status) && !problem.namesModel
    const isRefused = BAD_REQUESTS.has(status) && UNREADABLE_TEXT.test(problem.detail)
    const isUnreadable = (isRefused || problem.code === UNREADABLE_CONTENT) && !this.dropsReasoning
    const namesTrigger = BAD_REQUESTS.has(status) && /compaction/.test(problem.detail)
    const lacksCompaction = native?.compacts === true && namesTrigger && !this.asksForSummary
    if (lacksApi) target.channel.apiMemory.noteAbsent()
    if (isUnreadable) this.dropsReasoning = true
    if (lacksCompaction) this.asksForSummary = true
    const isChanged = lacksApi || isUnreadable || lacksCompaction
    if (isChanged) probe.dropped()
    return isChanged
  }
}
