import type { Client } from './client.ts'
import { finishResponse, type SendLimits } from './respond.ts'

/** Sends status, type and body, and no other header of the upstream. */
export function sendAnswer(
  client: Client,
  { status, contentType, body }: { status: number; contentType: string; body: Buffer },
  limits: SendLimits,
): Promise<void> {
  if (client.disconnected) return Promise.resolve()
  client.response.writeHead(status, { 'content-type': contentType, 'content-length': body.length })
  return finishResponse(client, body, limits)
}
