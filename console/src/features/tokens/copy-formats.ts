import type { MessageKey } from '../../i18n/types.ts'
import type { ExampleModel } from '../../lib/catalog.ts'
import { modelCommand } from '../../lib/snippets/model-code.ts'

export type CopyFormat = { id: string; label: MessageKey; text: string }

type Place = {
  serverAddress: string
  chatLink: string
  model: ExampleModel
}

export const openCatLink = (serverAddress: string, key: string) =>
  `opencat://team/join?domain=${encodeURIComponent(serverAddress)}&token=${key}`

/** Formats for copying a key. Clients register the URL schemes. */
export function copyFormats(key: string, { serverAddress, chatLink, model }: Place): CopyFormat[] {
  const full = `sk-${key}`
  const server = encodeURIComponent(serverAddress)
  const settings = JSON.stringify({ key: full, url: serverAddress })
  return [
    { id: 'key', label: 'token.copy.key', text: full },
    {
      id: 'curl',
      label: 'token.copy.curl',
      text: modelCommand(model, { address: serverAddress, key: full }),
    },
    {
      id: 'ama',
      label: 'token.copy.ama',
      text: `ama://set-api-key?server=${server}&key=${full}`,
    },
    {
      id: 'opencat',
      label: 'token.copy.opencat',
      text: openCatLink(serverAddress, full),
    },
    ...(chatLink === ''
      ? []
      : [
          {
            id: 'chat',
            label: 'token.copy.chat' as const,
            text: `${chatLink}/#/?settings=${settings}`,
          },
        ]),
  ]
}
