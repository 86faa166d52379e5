/** The user stepped back from something that they had begun; there is nothing to report. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled'
}
