/** Beyond this count pieces are joined: a Buffer costs 100 bytes and may hold a single byte. */
const LOOSE_PIECES_MAX = 1024

/** Collects bytes with memory proportional to their number, however small the pieces. */
export class ByteCollector {
  #pieces: Buffer[] = []
  #joinedCount = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  add(piece: Buffer) {
    if (piece.length === 0) return
    // Most answers are a single piece, and `push` reserves room for 17.
    if (this.#pieces.length === 0) this.#pieces = [piece]
    else this.#pieces.push(piece)
    this.#size += piece.length
    if (this.#pieces.length - this.#joinedCount < LOOSE_PIECES_MAX) return
    this.#pieces.push(Buffer.concat(this.#pieces.splice(this.#joinedCount)))
    this.#joinedCount = this.#pieces.length
  }

  /** All bytes added so far. A single piece is returned without copying. */
  bytes(): Buffer {
    const [first] = this.#pieces
    const isSingle = first !== undefined && this.#pieces.length === 1
    return isSingle ? first : Buffer.concat(this.#pieces, this.#size)
  }

  clear() {
    this.#pieces = []
    this.#joinedCount = 0
    this.#size = 0
  }
}
