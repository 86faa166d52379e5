import type { Client } from './client.ts'
import { finishResponse, type SendLimits } from './respond.ts'

/** Sends a whole answer: its status, its type and its bytes, and nothing else of what the upstream said. */
export function sendAnswer(
  { response, disconnected }: Client,
  { status, contentType, body }: { status: number; contentType: string; body: Buffer },
  limits: SendLimits,
): Promise<void> {
  if (disconnected) return Promise.resolve()
  response.writeHead(status, { 'content-type': contentType, 'content-length': body.length })
  return finishResponse(response, body, limits)
}
