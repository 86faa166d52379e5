import type { Client } from './client.ts'
import { finishResponse, type SendLimits } from './respond.ts'

/** Sends status, type and body, and no other header of the upstream. */
export function sendAnswer(
  { response, disconnected }: Client,
  { status, contentType, body }: { status: number; contentType: string; body: Buffer },
  limits: SendLimits,
): Promise<void> {
  if (disconnected) return Promise.resolve()
  response.writeHead(status, { 'content-type': contentType, 'content-length': body.length })
  return finishResponse(response, body, limits)
}
