import type { UpstreamProblemKind } from '@tollgate/contract'
import { isAboutKey, type Classification } from './upstream-error-kinds.ts'

/** Phrases in messages, in lower case, for failures that no code identifies. */
const PHRASES: readonly (readonly [UpstreamProblemKind, readonly string[]])[] = [
  [
    'not_offered',
    [
      // OpenAI
      'not supported in the v1/',
      'only supported in v1/',
      'not allowed to sample from this model',
      'not allowed to generate embeddings from this model',
      'item with id',
      'response with id',
      // Anthropic
      'file not found',
      // Google
      'permission to access the file',
      'cachedcontent not found',
      // Google, OpenRouter: sent for unknown models, but also for wrong requests of a client
      'or is not supported for',
      'no endpoints ',
      'no allowed providers',
    ],
  ],
  // Google, for a file that is still being processed
  ['invalid_request', ['is not in an active state']],
  [
    'context_length',
    [
      // OpenAI, DeepSeek, Mistral, OpenRouter, vLLM, SGLang, Ollama
      'context_length',
      'context length',
      'exceeds the context window',
      // Anthropic
      'prompt is too long',
      'exceed context limit',
      // Google
      'exceeds the maximum number of tokens allowed',
      // Alibaba
      'range of input length should be',
      'total message token length exceed model limit',
      // Zhipu
      'prompt exceeds max length',
      'prompt 超长',
      // Moonshot
      'exceeded model token limit',
      'input token length too long',
      // MiniMax
      'context window exceeds limit',
      // xAI
      'maximum prompt length',
      // Groq, Cerebras
      'reduce the length of the messages',
      // Cohere
      'too many tokens: ',
      // vLLM
      'maximum model length',
      // Text Generation Inference
      'tokens + `max_new_tokens` must be',
      // llama.cpp
      'available context size',
      // Bedrock
      'input is too long for requested model',
      // Volcengine
      'exceed max message tokens',
      // GitHub
      'prompt token count of',
    ],
  ],
  [
    'auth',
    [
      'api key not valid',
      'api key expired',
      'incorrect api key',
      'invalid api key',
      'api key was reported as leaked',
      'unregistered callers',
      'account deactivated',
      'account has been deactivated',
      'your access was terminated',
      'token has been revoked',
      'must be a member of an organization',
      'hmac signature does not match',
    ],
  ],
  [
    'permission',
    [
      'organization has been disabled',
      'organization has been restricted',
      'has been suspended',
      'project has been denied access',
      'has not been used in project',
      'user location is not supported',
      'gemini api free tier is not available',
      'insufficient permissions',
    ],
  ],
  [
    'quota',
    [
      'credit balance is too low',
      'insufficient balance',
      'insufficient_quota',
      'exceeded your current quota',
      'quota exceeded',
      '余额不足',
      '额度不足',
      '额度已用尽',
      '欠费',
      'arrear',
    ],
  ],
  ['rate_limit', ['rate limit', 'too many requests', '请求过于频繁']],
  ['overloaded', ['overloaded', 'at capacity', 'capacity exceeded', '服务忙']],
]

/**
 * How messages of a 404 begin that name the model, for providers without a code. Only the beginning
 * counts: other missing resources were named by a client, and the message quotes the name.
 */
const MODEL_MISSING: readonly RegExp[] = [
  // OpenAI and compatible providers, Ollama, Google, Volcengine
  /^(?:the |publisher )?models?(?: or endpoint)?(?:[ /]\S+)? (?:does not exist|(?:is |was )?not found)\b/i,
  // Anthropic
  /^model: /i,
  // Moonshot
  /^not found the model\b/i,
]

const ABOUT_ACCOUNT_STATUSES = new Set([401, 402, 403, 429])
const NO_STATUS = 200

/**
 * Classifies by message text. Upstreams quote what clients sent, so text alone never disables a
 * channel: the status must concern the account, or the message must begin with the phrase.
 */
export function kindOfText(status: number, message: string): Classification | undefined {
  const text = message.toLowerCase()
  for (const [kind, phrases] of PHRASES) {
    const found = phrases.find((phrase) => text.includes(phrase))
    if (found === undefined) continue
    const startsMessage = text
      .replace(/^(?:your|this) /, '')
      .startsWith(found.replace(/^your /, ''))
    if (isAboutKey(kind)) {
      const isAccount = ABOUT_ACCOUNT_STATUSES.has(status)
      if (isAccount || (status === 400 && startsMessage)) return { kind, namesKey: true }
      if (status === NO_STATUS) return { kind, namesKey: false }
      continue
    }
    if (statusesOf(kind, text).has(status)) return { kind, namesKey: false }
  }
  const isModel = status === 404 && MODEL_MISSING.some((phrases) => phrases.test(message))
  return isModel ? { kind: 'model_missing', namesKey: false } : undefined
}

const ONLY_NO_STATUS: ReadonlySet<number> = new Set([NO_STATUS])
const TOO_LONG_STATUSES: ReadonlySet<number> = new Set([NO_STATUS, 400, 413, 422])
/** Says that something is too long. A failure of the server may mention the context, too. */
const EXCESS = /exceed|too (?:long|large|many)/
/** Some servers answer 500 to a request that is too long (farion1231/cc-switch#2854). */
const EXCESS_STATUSES: ReadonlySet<number> = new Set([...TOO_LONG_STATUSES, 500])
const NOT_OFFERED_STATUSES: ReadonlySet<number> = new Set([403, 404])
const REFUSED_STATUSES: ReadonlySet<number> = new Set([400])

/** Statuses for which the message text is more specific than the status. */
function statusesOf(kind: UpstreamProblemKind, text: string): ReadonlySet<number> {
  if (kind === 'context_length') return EXCESS.test(text) ? EXCESS_STATUSES : TOO_LONG_STATUSES
  if (kind === 'invalid_request') return REFUSED_STATUSES
  return kind === 'not_offered' ? NOT_OFFERED_STATUSES : ONLY_NO_STATUS
}
