/** What is thrown at bytes that are no answer; their connection is good for nothing more. */
export class BadAnswer extends Error {
  readonly failure: 'malformed' | 'too_large'

  constructor(failure: 'malformed' | 'too_large') {
    super(failure)
    this.failure = failure
  }
}
