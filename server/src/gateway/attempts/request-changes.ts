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
const UNREADABLE_COMPACTION = /compaction item.* encrypted_content/s
const NONE: readonly number[] = []
const BAD_REQUESTS: ReadonlySet<number> = new Set([400, 404, 422])

/** What the next attempts of a request change, because a provider has refused it. */
export class RequestChanges {
  /** A provider could not read the encrypted reasoning in the request. */
  dropsReasoning = false
  /** A provider could not read a compaction item in the request. */
  dropsCompaction = false
  /** Channels of the Responses API that do not compact conversations. */
  #notCompacting: readonly number[] = NONE

  asksForSummary(channel: number): boolean {
    return this.#notCompacting.includes(channel)
  }

  /** True if the same channel is asked once more. */
  learn(
    { isTrial, probe, target }: RunningAttempt,
    { problem, status }: Pick<Failed, 'problem' | 'status'>,
    { native }: Pick<RelayRequest, 'native'>,
  ): boolean {
    const lacksApi = isTrial && LACKS_API.has(status) && !problem.namesModel
    const texts = [UNREADABLE_TEXT, UNREADABLE_COMPACTION]
    const isRefused = BAD_REQUESTS.has(status) && texts.some((text) => text.test(problem.detail))
    const isUnreadable = isRefused || problem.code === UNREADABLE_CONTENT
    const namesTrigger = BAD_REQUESTS.has(status) && /compaction_trigger/.test(problem.detail)
    const lacksCompaction =
      native?.compacts === true && namesTrigger && !this.asksForSummary(target.id)
    if (lacksApi) target.channel.apiMemory.noteAbsent()
    if (lacksCompaction) this.#notCompacting = [...this.#notCompacting, target.id]
    const dropsMore = isUnreadable && this.#dropMore(problem, native)
    const isChanged = lacksApi || dropsMore || lacksCompaction
    if (isChanged) probe.dropped()
    return isChanged
  }

  /** Reasoning first, since a lost compaction item is a lost conversation. */
  #dropMore({ code, detail }: Failed['problem'], native: RelayRequest['native']): boolean {
    const { hasReasoning } = native ?? {}
    const isOther = code === UNREADABLE_CONTENT && hasReasoning?.() === false
    const isCompaction = UNREADABLE_COMPACTION.test(detail) || isOther
    if (!this.dropsReasoning && !isCompaction) {
      this.dropsReasoning = true
      return true
    }
    if (this.dropsCompaction || hasReasoning === undefined) return false
    this.dropsCompaction = true
    return true
  }
}
