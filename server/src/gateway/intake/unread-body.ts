import type { Clock } from '../../clock.ts'
import type { ClientRequest } from '../http-types.ts'

/**
 * For refused requests: whether part of the body is still unread. A sender that is cut off while
 * writing may never see the response, so its body is read and discarded for up to `lingerMs`.
 */
export function hasUnreadBody(
  request: ClientRequest,
  lingerMs: number,
  clock: Clock,
): Promise<boolean> | boolean {
  if (request.readableEnded || (request.takeBody?.() ?? null) !== null) return false
  return awaitsContinue(request) || discardBody(request, lingerMs, clock)
}

/** A sender that expects `100 Continue` sends no body before it gets one. */
const awaitsContinue = ({ headers, readableFlowing }: ClientRequest) =>
  headers.expect !== undefined && readableFlowing === null

function discardBody(request: ClientRequest, lingerMs: number, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = () => {
      timer.close()
      request.off('end', stop).off('close', stop)
      resolve(!request.readableEnded)
    }
    const timer = clock.after(lingerMs, stop)
    if (request.destroyed) return stop()
    request.on('end', stop).on('close', stop).resume()
  })
}
