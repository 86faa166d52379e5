/** Thrown for bytes that are not a valid response; the connection is unusable afterwards. */
export class BadAnswer extends Error {
  readonly failure: 'malformed' | 'too_large'

  constructor(failure: 'malformed' | 'too_large') {
    super(failure)
    this.failure = failure
  }
}
