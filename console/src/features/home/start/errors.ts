import { refusalOf } from '../../../lib/call.ts'

export { errorText } from '../../../lib/report-error.ts'

/** The code of the server's refusal. */
export const refusedCode = (error: unknown) => refusalOf(error)?.code
