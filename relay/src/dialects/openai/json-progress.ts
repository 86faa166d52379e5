/** Follows a JSON object as it arrives, to tell when it is complete. */
export class JsonProgress {
  #depth = 0
  #hasBegun = false
  #isInText = false
  #isEscaped = false

  get isWhole(): boolean {
    return this.#hasBegun && this.#depth === 0
  }

  push(piece: string): void {
    for (const letter of piece) this.#read(letter)
  }

  #read(letter: string): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (this.#isInText) this.#readInText(letter)
    else if (letter === '"') this.#isInText = true
    else if (letter === '{' || letter === '[') {
      this.#hasBegun = true
      this.#depth += 1
    } else if (letter === '}' || letter === ']') this.#depth -= 1
  }

  #readInText(letter: string): void {
    this.#isEscaped = letter === '\\'
    this.#isInText = letter !== '"'
  }
}
