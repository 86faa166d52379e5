import { headerText } from '../upstream-request.ts'

type Asked = { readonly stream: boolean; readonly channel: { readonly key: string } }

/** Of a request in JSON; its answer must come as it is, since it is metered as it passes. */
export const jsonHeaders = ({ stream }: Pick<Asked, 'stream'>): Record<string, string> => ({
  'content-type': 'application/json',
  accept: stream ? 'text/event-stream' : 'application/json',
  'accept-encoding': 'identity',
})

/** The same with the key of the channel, where it has one. */
export function bearerHeaders(call: Asked): Record<string, string> {
  const key = headerText(call.channel.key)
  return { ...(key === '' ? {} : { authorization: `Bearer ${key}` }), ...jsonHeaders(call) }
}
