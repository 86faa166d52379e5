/** What the signature of a link in a reminder covers. */
export const reminderLinkText = (userId: number, email: string) => `${userId}\n${email}`

export const reminderLink = (address: string, userId: number, signature: string) =>
  `${address}/reminder/stop?user=${userId}&signature=${encodeURIComponent(signature)}`
