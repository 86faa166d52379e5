/** Thrown for bytes that are not a valid message; the connection is unusable afterwards. */
export class BadMessage extends Error {
  readonly failure: 'malformed' | 'too_large'

  constructor(failure: 'malformed' | 'too_large') {
    super(failure)
    this.failure = failure
  }
}
