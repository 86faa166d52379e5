const LENGTH_MAX = 32
const OTHER_SIGNS = /[^A-Za-z0-9_]/g

/**
 * Function names as Spark takes them: letters, digits and underscores, at most 32 characters. Other
 * names are changed and numbered, so that no two are alike, and are changed back when called.
 */
export class FunctionNames {
  readonly #told = new Map<string, string>()
  readonly #asked = new Map<string, string>()

  constructor(functions: readonly { readonly name: string }[]) {
    for (const [index, { name }] of functions.entries()) {
      const end = `_${index}`
      const plain = name.replaceAll(OTHER_SIGNS, '_')
      const isFit = plain === name && name.length <= LENGTH_MAX
      const told = isFit ? name : plain.slice(0, LENGTH_MAX - end.length) + end
      this.#told.set(name, told)
      this.#asked.set(told, name)
    }
  }

  told(name: string): string {
    return this.#told.get(name) ?? name
  }

  asked(told: string): string {
    return this.#asked.get(told) ?? told
  }
}
