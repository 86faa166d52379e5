/** The user cancelled the action, so there is nothing to report. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled'
}
