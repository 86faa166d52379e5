/** Follows a JSON object as it arrives, to tell when it is complete. */
export class JsonProgress {
  #depth = 0
  #hasStarted = false
  #isInText = false
  #isEscaped = false

  get isComplete(): boolean {
    return this.#hasStarted && this.#depth === 0
  }

  push(piece: string): void {
    for (const letter of piece) this.#read(letter)
  }

  #read(letter: string): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (this.#isInText) this.#readInText(letter)
    else if (letter === '"') this.#isInText = true
    else if (letter === '{' || letter === '[') {
      this.#hasStarted = true
      this.#depth += 1
    } else if (letter === '}' || letter === ']') this.#depth -= 1
  }

  #readInText(letter: string): void {
    this.#isEscaped = letter === '\\'
    this.#isInText = letter !== '"'
  }
}
