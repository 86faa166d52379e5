const BYTES_MAX = 4096

/**
 * Bytes that are valid until the next ones. Views of them are kept by their length, because a new
 * view allocates half as much as an event of a stream.
 */
export class ScratchBytes {
  readonly #bytes = Buffer.allocUnsafeSlow(BYTES_MAX)
  readonly #views = new Map<number, Buffer>()

  /** Null for a part that is too long. */
  copyOf(source: Buffer, start: number, end: number): Buffer | null {
    const length = end - start
    if (length > BYTES_MAX) return null
    source.copy(this.#bytes, 0, start, end)
    const known = this.#views.get(length)
    if (known !== undefined) return known
    const view = this.#bytes.subarray(0, length)
    this.#views.set(length, view)
    return view
  }
}
