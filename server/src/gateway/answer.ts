import type { Client } from './client.ts'
import { finishResponse, type SendLimits } from './respond.ts'

/** Sends a whole answer: its status, its type and its bytes, and nothing else of what the upstream said. */
export async function sendAnswer(
  { response, left }: Client,
  { status, contentType, body }: { status: number; contentType: string; body: Buffer },
  limits: SendLimits,
): Promise<void> {
  if (left) return
  response.writeHead(status, { 'content-type': contentType, 'content-length': body.length })
  await finishResponse(response, body, limits)
}
