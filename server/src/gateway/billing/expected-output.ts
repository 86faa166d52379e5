import { TypicalOutput } from '../../domain/typical-output.ts'
import { createLru } from '../../lru.ts'

/** Each pair takes about 400 bytes. The least recently used are evicted. */
const KEYS_MAX = 8192
/** Clients choose the names of models. */
const MODELS_MAX = 1024

type Owner = { readonly token: number; readonly model: string }

/** What requests of a key at a model have used, else what all requests at the model have. */
export type ExpectedOutput = {
  readonly add: (owner: Owner, tokens: number) => void
  /** Output tokens that nearly all answers stay below; null until enough were seen. */
  readonly tokens: (owner: Owner) => number | null
}

/** Per process. A new process holds the floor until it has seen some answers. */
export function createExpectedOutput(now: () => number): ExpectedOutput {
  const byKey = createLru<string, TypicalOutput>(KEYS_MAX)
  const byModel = createLru<string, TypicalOutput>(MODELS_MAX)
  const keyOf = ({ token, model }: Owner) => `${token} ${model}`
  const outputAt = (outputs: typeof byKey, key: string): TypicalOutput => {
    const known = outputs.get(key)
    if (known !== undefined) return known
    const output = new TypicalOutput(now())
    outputs.set(key, output)
    return output
  }
  return {
    add: (owner, tokens) => {
      outputAt(byKey, keyOf(owner)).add(tokens, now())
      outputAt(byModel, owner.model).add(tokens, now())
    },
    tokens: (owner) =>
      byKey.get(keyOf(owner))?.quantile(now()) ?? byModel.get(owner.model)?.quantile(now()) ?? null,
  }
}
