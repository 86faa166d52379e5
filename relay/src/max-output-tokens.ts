import { memoize } from './memoize.ts'

/**
 * Max output tokens, including reasoning, of one choice. Sources: OpenAI's model pages, 2026-08,
 * and Anthropic's (https://docs.anthropic.com/en/docs/about-claude/models). The first match counts.
 */
const FAMILIES: readonly (readonly [RegExp, number])[] = [
  [/^gpt-3\.5-turbo|^gpt-35-turbo/, 4096],
  [/^gpt-4-(?:turbo|vision|\d{4}-preview)/, 4096],
  [/^gpt-4(?:-\d{4})?$/, 8192],
  [/^gpt-4-32k/, 32_768],
  [/^gpt-realtime-[2-9](?!\d)/, 32_000],
  [/^gpt-(?:4o-(?:mini-)?)?realtime/, 4096],
  [/^(?:chat)?gpt-4o/, 16_384],
  [/^gpt-4\.1/, 32_768],
  [/^gpt-4\.5/, 16_384],
  [/^o1-preview/, 32_768],
  [/^o1-mini/, 65_536],
  [/^o\d/, 100_000],
  [/^gpt-[5-9]/, 128_000],
  [/^claude-3-5-sonnet/, 8192],
  [/^claude-(?:3-[05]|3-(?:opus|sonnet|haiku)|v?[12]\b|instant)/, 4096],
  [/^claude-opus-4-(?:[01](?!\d)|20\d{6})/, 32_000],
  [/^claude-(?:3-7|(?:opus|sonnet|haiku)-4-(?:[05](?!\d)|20\d{6}))/, 64_000],
  [/^claude-/, 128_000],
]

/**
 * Models with hidden reasoning: they reason at length before the answer, and a stream shows nothing
 * or a summary of it. Includes aliases for the newest of these models, and OpenRouter's alias for
 * any model.
 */
const HIDDEN_REASONING_MODELS = new RegExp(
  [
    /^o\d/,
    /^gpt-[5-9]/,
    /^codex-/,
    /^gpt-realtime-[2-9](?!\d)/,
    /^gemini-(?:2\.5|[3-9])/,
    /^gemini-(?:[a-z]+-)+latest$/,
    /^grok-(?:3-mini|[4-9])/,
    /^claude-[a-z]+-(?:[4-9]|\d\d|latest$)/,
    /^auto$/,
  ]
    .map(({ source }) => source)
    .join('|'),
)

/**
 * The name that a model's maker uses. OpenRouter and others prefix the maker, `openai/o3`, and
 * write Claude's versions with a dot, `claude-opus-4.6`. Bedrock also prefixes a region,
 * `us.anthropic.claude-opus-4-6-v1`. Fine-tuned models are named `ft:gpt-4.1:acme::id`.
 */
export const normalizeModelName = (model: string) =>
  model
    .slice(model.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/^ft:|^(?:[a-z-]+\.)?anthropic\./, '')
    .replace(/^(claude-(?:[a-z]+-)?\d+)\./, '$1-')

/** Whether a stream of the model shows less output than is charged at its end. */
export const usesHiddenReasoning = (...names: readonly string[]) => names.some(hidesReasoning)

const hidesReasoning = memoize((name) => HIDDEN_REASONING_MODELS.test(normalizeModelName(name)))

/** The model's output limit, in tokens, for requests that set none; null when unknown. */
export const maxOutputTokens = memoize((model): number | null => {
  const name = normalizeModelName(model)
  return FAMILIES.find(([family]) => family.test(name))?.[1] ?? null
})
