import { TypicalOutput } from '../../domain/typical-output.ts'
import { createLru } from '../../lru.ts'

/** Each pair takes about 400 bytes. The least recently used are evicted. */
const KEYS_MAX = 8192
/** Clients choose the names of models. */
const MODELS_MAX = 1024

type Asked = { readonly token: number; readonly model: string }

/** What requests of a key at a model have used, else what all requests at the model have. */
export type ExpectedOutput = {
  readonly add: (asked: Asked, tokens: number) => void
  /** Output tokens that nearly all answers stay below; null until enough were seen. */
  readonly tokens: (asked: Asked) => number | null
}

/** Per process. A new process holds the floor until it has seen some answers. */
export function createExpectedOutput(now: () => number): ExpectedOutput {
  const byKey = createLru<string, TypicalOutput>(KEYS_MAX)
  const byModel = createLru<string, TypicalOutput>(MODELS_MAX)
  const keyOf = ({ token, model }: Asked) => `${token} ${model}`
  const outputAt = (outputs: typeof byKey, key: string): TypicalOutput => {
    const known = outputs.get(key)
    if (known !== undefined) return known
    const output = new TypicalOutput(now())
    outputs.set(key, output)
    return output
  }
  return {
    add: (asked, tokens) => {
      outputAt(byKey, keyOf(asked)).add(tokens, now())
      outputAt(byModel, asked.model).add(tokens, now())
    },
    tokens: (asked) =>
      byKey.get(keyOf(asked))?.quantile(now()) ?? byModel.get(asked.model)?.quantile(now()) ?? null,
  }
}
