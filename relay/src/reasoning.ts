import { asksToThink } from './codec/chat-request.ts'
import type { RelayRequest } from './dialects/openai/request.ts'
import { isRecord, type JsonRecord, member } from './json-value.ts'
import { plainName, thinksUnseen } from './output-most.ts'
import { remembered } from './remembered.ts'

/** What of a request says whether its model is to reason. */
export type ReasoningRequest = Pick<RelayRequest, 'json' | 'native' | 'thinkingBudget'>

/** Claude before version 5 reasons only when it is asked to (fact sheet 03-anthropic, section 7). */
const WHEN_ASKED = /^claude-(?:3-7|[a-z]+-4(?!\d))/
/** These reason whatever they are told (the same section). */
const ALWAYS = /^claude-(?:opus-5-5|fable-5-1|mythos-5-1)(?!\d)/

const reasonsWhenAsked = remembered((name) => WHEN_ASKED.test(plainName(name)))
const reasonsAlways = remembered((name) => ALWAYS.test(plainName(name)))

/** Whether a stream of one of these models may show less of what it writes than will be charged at its end. */
export function mayThinkUnseen(request: ReasoningRequest, names: readonly string[]): boolean {
  const isAsked = asksToReason(request)
  return names.some((name) => {
    if (!thinksUnseen(name)) return false
    if (reasonsAlways(name)) return true
    return isAsked ?? !reasonsWhenAsked(name)
  })
}

/** Null where the request leaves it to the model. */
function asksToReason({ json, native, thinkingBudget = 0 }: ReasoningRequest): boolean | null {
  const request = json()
  const asked = asksToThink(request) ?? vendorsWish(request)
  if (asked !== null) return asked
  // What has no form of OpenAI's may ask for it in words that nobody has read.
  const isUnread = (native?.obstacle ?? null) !== null
  return thinkingBudget > 0 || isUnread ? true : null
}

/** As Anthropic, OpenRouter and Alibaba write it in OpenAI's form. */
function vendorsWish({ thinking, reasoning, enable_thinking: isOn }: JsonRecord): boolean | null {
  if (typeof isOn === 'boolean') return isOn
  if (isRecord(thinking)) return thinking['type'] !== 'disabled'
  if (isRecord(reasoning)) return member(reasoning, 'effort') !== 'none'
  return null
}
