import { type AlertMessage, isAlert, messageSchema } from '../text/message.ts'

/** Undefined for an alert of another version. */
export function readAlert({ message }: { readonly message: string }): AlertMessage | undefined {
  const read = messageSchema.safeParse(JSON.parse(message)).data
  return read && isAlert(read) ? read : undefined
}

/** The console's page about an alert, without the leading slash. */
export function consolePageOf(alert: AlertMessage): string {
  switch (alert.type) {
    case 'price-alert':
      return alert.event.startsWith('bill_') ? 'bill' : 'setting/prices'
    case 'rule-alert':
      return alert.event === 'errors' || alert.event === 'spend' ? 'dashboard' : 'channel'
    case 'channel-alert':
      return `channel/${alert.channel_id}`
    case 'test-finished':
      return 'channel'
  }
}
