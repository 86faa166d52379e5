/** A member of the file: names and positions from the outermost to the innermost. */
export type Path = readonly (string | number)[]

/** What the operator has to correct in the file. */
export type Fault = { readonly path: Path; readonly problem: string }

/** Faults of a file, each as a line. */
export class FileFaults extends Error {
  override readonly name = 'FileFaults'
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}

/** As in `channels[0].key`. */
export const pathText = (path: Path): string =>
  path
    .map((part, at) => {
      if (typeof part === 'number') return `[${part}]`
      const isPlain = /^[A-Za-z_][\w-]*$/.test(part)
      if (!isPlain) return `[${JSON.stringify(part)}]`
      return at === 0 ? part : `.${part}`
    })
    .join('')
