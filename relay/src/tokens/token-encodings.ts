import { finish, type Steps } from '../bytes/steps.ts'

export type EncodingName =
  | 'o200k_base'
  | 'o200k_harmony'
  | 'cl100k_base'
  | 'p50k_base'
  | 'p50k_edit'
  | 'r50k_base'

export type Tokenizer = {
  readonly encoding: EncodingName
  /** For OpenAI's models the overhead of the chat format is known. */
  readonly isOpenai: boolean
  /** Tokens of this model per token of the encoding. The encoding may be another provider's. */
  readonly factor: { readonly latin: number; readonly cjk: number }
}

/** The estimate of the One API family, for text that is too long to count or was not kept. */
export const TOKENS_PER_BYTE = 0.38

const UNSCALED = { latin: 1, cjk: 1 }
const FIVE_PERCENT_MORE = { latin: 1.05, cjk: 1.05 }

function openai(encoding: EncodingName): Tokenizer {
  return { encoding, isOpenai: true, factor: UNSCALED }
}

function approximate(encoding: EncodingName, factor = UNSCALED): Tokenizer {
  return { encoding, isOpenai: false, factor }
}

/** First match wins. Factors are measured averages; the providers do not publish tokenizers. */
const TOKENIZERS: readonly (readonly [RegExp, Tokenizer])[] = [
  [/^gpt-oss/, openai('o200k_harmony')],
  [/^(?:ft:)?(?:o\d|gpt-(?!35)(?:[5-9]|\d\d)|gpt-4\.[15]|chatgpt-4o|gpt-4o)/, openai('o200k_base')],
  [/^(?:ft:)?(?:gpt-4|gpt-3\.5|gpt-35-turbo)/, openai('cl100k_base')],
  [/^(?:text-embedding-(?:ada-002|3-)|davinci-002|babbage-002)/, openai('cl100k_base')],
  [/^(?:text|code)-davinci-edit-/, openai('p50k_edit')],
  [/^(?:text-davinci-00[23]|code-davinci|code-cushman)/, openai('p50k_base')],
  [/^(?:text-)?(?:davinci|curie|babbage|ada)(?:-001)?$/, openai('r50k_base')],
  [/^text-(?:similarity|search)-/, openai('r50k_base')],
  [
    /^claude-(?:instant|[23]|(?:opus|sonnet|haiku)-4(?:$|-[0-6]$|-[0-6]-|-\d{8}))/,
    approximate('o200k_base', { latin: 1.1, cjk: 1.1 }),
  ],
  [/^claude-/, approximate('o200k_base', { latin: 1.45, cjk: 1.1 })],
  [/^(?:llama|mistral|mixtral|ministral|magistral|grok|open-mi)/, approximate('cl100k_base')],
  [/^(?:glm|minimax|abab|yi-|baichuan|360|ernie)/, approximate('o200k_base', FIVE_PERCENT_MORE)],
]

export function tokenizerOf(model: string): Tokenizer {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  return TOKENIZERS.find(([pattern]) => pattern.test(name))?.[1] ?? approximate('o200k_base')
}

/** DeepSeek publishes its own rule: 0.3 tokens per Latin character, 0.6 per Chinese character. */
export function isDeepseek(model: string): boolean {
  return /^deepseek/i.test(model.slice(model.lastIndexOf('/') + 1))
}

type Encoding = { countTokens: (text: string, options: typeof AS_ORDINARY_TEXT) => number }
/** Client text never contains control tokens, even if it looks like them. */
const AS_ORDINARY_TEXT = { disallowedSpecial: new Set<string>() }

const LOADERS: Readonly<Record<EncodingName, () => Promise<Encoding>>> = {
  o200k_base: async () => await import('gpt-tokenizer/encoding/o200k_base'),
  o200k_harmony: async () => await import('gpt-tokenizer/encoding/o200k_harmony'),
  cl100k_base: async () => await import('gpt-tokenizer/encoding/cl100k_base'),
  p50k_base: async () => await import('gpt-tokenizer/encoding/p50k_base'),
  p50k_edit: async () => await import('gpt-tokenizer/encoding/p50k_edit'),
  r50k_base: async () => await import('gpt-tokenizer/encoding/r50k_base'),
}

const loaded = new Map<EncodingName, Promise<Encoding>>()
let lastLoad: Promise<unknown> = Promise.resolve()

/** Encodings are large, so each is loaded on first use and never two at a time. */
function load(name: EncodingName): Promise<Encoding> {
  let loading = loaded.get(name)
  if (loading === undefined) {
    loading = lastLoad.then(LOADERS[name])
    loaded.set(name, loading)
    lastLoad = loading.catch(() => loaded.delete(name))
  }
  return loading
}

type LoadFailureListener = (encoding: EncodingName, error: unknown) => void
let notifyLoadFailure: LoadFailureListener = () => {}

/** Sets the callback for encodings that cannot be loaded or fail; their text is then estimated. */
export function onEncodingLoadFailure(listener: LoadFailureListener) {
  notifyLoadFailure = listener
}

export function reportEncodingLoadFailure(name: EncodingName, error: unknown) {
  notifyLoadFailure(name, error)
}

/** Rejects if the encoding cannot be loaded or fails. */
export type CountTexts = (
  encoding: EncodingName,
  texts: readonly string[],
) => Promise<readonly number[]>

/** Counts on this thread, which also loads the encoding at its first use: up to 0.3 s. */
export const countTextsInProcess: CountTexts = async (name, texts) =>
  finish((await loadCounter(name))(texts))

/** Rejects if the encoding cannot be loaded. */
export async function loadCounter(
  name: EncodingName,
): Promise<(texts: readonly string[]) => Steps<number[]>> {
  const encoding = await load(name)
  return function* (texts) {
    const counts: number[] = []
    for (const text of texts) counts.push(yield* countInWindows(encoding, text))
    return counts
  }
}

/** Merging costs the square of an unbroken run of characters. The window limits the run. */
const WINDOW_LENGTH = 128

function* countInWindows(encoding: Encoding, text: string): Steps<number> {
  let total = 0
  let start = 0
  while (start < text.length) {
    const end = windowEnd(text, start)
    total += encoding.countTokens(text.slice(start, end), AS_ORDINARY_TEXT)
    start = end
    yield
  }
  return total
}

/** Prefers to end before a space between words, where a token begins anyway. */
function windowEnd(text: string, start: number): number {
  const end = start + WINDOW_LENGTH
  if (end >= text.length) return text.length
  const space = start + text.slice(start, end + 1).lastIndexOf(' ')
  if (space > start && text[space - 1]?.trim() !== '' && text[space + 1]?.trim() !== '')
    return space
  const splitsPair = /[\uD800-\uDBFF]/.test(text[end - 1] ?? '')
  return splitsPair ? end - 1 : end
}
