const LENGTH_MAX = 32
const OTHER_SIGNS = /[^A-Za-z0-9_]/g

/**
 * Function names as Spark takes them: letters, digits and underscores, at most 32 characters. Other
 * names are changed and numbered, so that no two are alike, and are changed back when called.
 */
export class FunctionNames {
  readonly #encoded = new Map<string, string>()
  readonly #decoded = new Map<string, string>()

  constructor(functions: readonly { readonly name: string }[]) {
    for (const [index, { name }] of functions.entries()) {
      const end = `_${index}`
      const plain = name.replaceAll(OTHER_SIGNS, '_')
      const isValid = plain === name && name.length <= LENGTH_MAX
      const encoded = isValid ? name : plain.slice(0, LENGTH_MAX - end.length) + end
      this.#encoded.set(name, encoded)
      this.#decoded.set(encoded, name)
    }
  }

  encode(name: string): string {
    return this.#encoded.get(name) ?? name
  }

  decode(encoded: string): string {
    return this.#decoded.get(encoded) ?? encoded
  }
}
