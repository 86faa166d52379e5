import { openaiDialect } from '@tollgate/relay'
import { Refusal } from '../errors.ts'
import type { ClientRequestHead } from '../http-types.ts'
import type { Client } from './client.ts'
import { isStoredResponse, pathOf } from './paths.ts'

const PAYMENT_REQUIRED = 402
/** Codex stops at this status only together with `OPENAI_CODE`; it repeats a 402 and a 403. */
const CODEX_STATUS = 429
/** OpenAI's own code for an exhausted account. */
const OPENAI_CODE = 'insufficient_quota'
const GATEWAY_CODE = 'insufficient_user_quota'

type WithRequest = { readonly request: ClientRequestHead }

/**
 * A refusal for lack of money, with the status at which the client stops. One API's clients expect
 * 403, or 401 for a used-up key. Coding agents would repeat those, or ask for a new login.
 */
export function paymentRefusal(
  refusal: Refusal,
  { request, client }: WithRequest & { readonly client: Pick<Client, 'dialect'> },
): Refusal {
  // Dialects that differ only in their answers share the reader.
  const isOpenai = client.dialect.readRequest === openaiDialect.readRequest
  if (!refusal.isUnpaid || isOpenai) return refusal
  const { message, closesConnection: leavesBody, cause } = refusal
  const isResponses = isResponsesCall({ request })
  return new Refusal({
    message,
    leavesBody,
    cause,
    status: isResponses && isCodex(request) ? CODEX_STATUS : PAYMENT_REQUIRED,
    code: isResponses ? OPENAI_CODE : GATEWAY_CODE,
    ...(isResponses && { type: OPENAI_CODE }),
    isUnpaid: true,
  })
}

/** The error code of a stream that the balance ends. Codex repeats codes that it does not know. */
export const paymentCodeFor = (context: WithRequest): string =>
  isResponsesCall(context) ? OPENAI_CODE : GATEWAY_CODE

const isResponsesCall = ({ request }: WithRequest) => isStoredResponse(pathOf(request))

/** Codex names itself `codex_cli_rs`, `codex_exec` or `codex_vscode` in both headers. */
function isCodex({ headers }: ClientRequestHead): boolean {
  const { originator, 'user-agent': agent = '' } = headers
  return (
    agent.startsWith('codex') || (typeof originator === 'string' && originator.startsWith('codex'))
  )
}
