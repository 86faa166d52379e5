/** The request is valid, but this provider does not support it. The client gets status 400. */
export class UnsupportedParameterError extends Error {
  override readonly name = 'UnsupportedParameterError'
  /**
   * Path of the parameter, such as `messages.0.content`; null if no single parameter is at fault.
   */
  readonly param: string | null

  constructor(message: string, param: string | null = null) {
    super(message)
    this.param = param
  }
}

export const parameterError = (message: string, param: string | null = null) =>
  new UnsupportedParameterError(message, param)

export class MalformedKey extends Error {
  override readonly name = 'MalformedKey'

  constructor(format: string) {
    super(`The key of this channel has the wrong form; it must be ${format}.`)
  }
}
