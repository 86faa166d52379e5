import { openCatLink } from '../copy-formats.ts'
import { apiBase, base64Param, type Client, exportLine, PROVIDER_ID, type Setup } from './setup.ts'

/** Cherry Studio replaces and deletes these characters before it parses the JSON. */
const cherryName = (name: string) => name.replace(/['()]/g, '')

const cherryLink = ({ address, key, systemName }: Setup) => {
  const data = {
    id: PROVIDER_ID,
    name: cherryName(systemName),
    type: 'openai',
    baseUrl: address,
    apiKey: key,
  }
  return `cherrystudio://providers/api-keys?v=1&data=${base64Param(JSON.stringify(data))}`
}

function chatboxLink({ address, key, model, systemName }: Setup): string {
  const { id, context, output } = model
  const config = {
    id: PROVIDER_ID,
    name: systemName,
    type: 'openai',
    urls: { website: address },
    settings: {
      apiHost: address,
      apiPath: '/v1/chat/completions',
      apiKey: key,
      models: [
        {
          modelId: id,
          nickname: id,
          type: 'chat',
          capabilities: ['tool_use'],
          ...(context !== null && { contextWindow: context }),
          ...(output !== null && { maxOutput: output }),
        },
      ],
    },
  }
  return `chatbox://provider/import?config=${base64Param(JSON.stringify(config))}`
}

/** LobeChat reads settings from the query only, which its server receives with the request. */
function lobeLink(setup: Setup): string {
  const settings = { keyVaults: { openai: { apiKey: setup.key, baseURL: apiBase(setup) } } }
  return `https://lobehub.com/?settings=${encodeURIComponent(JSON.stringify(settings))}`
}

function nextChatLink({ key, address }: Setup): string {
  const settings = JSON.stringify({ key, url: address })
  return `https://app.nextchat.dev/#/?settings=${encodeURIComponent(settings)}`
}

/** Adds the gateway to the providers that Claude Code can be switched to. */
function ccSwitchLink({ address, key, model, systemName }: Setup): string {
  const values = { name: systemName, endpoint: address, apiKey: key, model: model.id }
  // Older versions refuse a link without a homepage.
  const kind = { resource: 'provider', app: 'claude', homepage: address }
  const query = new URLSearchParams({ ...kind, ...values })
  // A plus sign is a blank only in forms.
  return `ccswitch://v1/import?${query.toString().replaceAll('+', '%20')}`
}

const openWebUiVariables = (setup: Setup) =>
  [
    exportLine('OPENAI_API_BASE_URLS', apiBase(setup)),
    exportLine('OPENAI_API_KEYS', setup.key),
    exportLine('ENABLE_FORWARD_USER_INFO_HEADERS', 'true'),
  ].join('\n')

const byHand = (setup: Setup, address: string) => [
  { text: 'connect.step.address' as const, copies: address },
  { text: 'connect.step.key' as const, copies: setup.key },
  { text: 'connect.step.model' as const, copies: setup.model.id },
]

export const CHAT_APPS: readonly Client[] = [
  {
    id: 'cherry-studio',
    name: 'Cherry Studio',
    steps: (setup) => [
      { text: 'connect.step.open', link: cherryLink(setup) },
      ...byHand(setup, setup.address),
    ],
  },
  {
    id: 'chatbox',
    name: 'Chatbox',
    steps: (setup) => [
      { text: 'connect.step.open', link: chatboxLink(setup) },
      ...byHand(setup, setup.address),
    ],
  },
  {
    id: 'lobehub',
    name: 'LobeChat',
    steps: (setup) => [
      { text: 'connect.step.openWebsite', link: lobeLink(setup) },
      ...byHand(setup, apiBase(setup)),
    ],
  },
  {
    id: 'open-webui',
    name: 'Open WebUI',
    steps: (setup) => [{ text: 'connect.step.variables', copies: openWebUiVariables(setup) }],
  },
  {
    id: 'opencat',
    name: 'OpenCat',
    steps: (setup) => [
      { text: 'connect.step.open', link: openCatLink(setup.address, setup.key) },
      ...byHand(setup, setup.address),
    ],
  },
  {
    id: 'nextchat',
    name: 'NextChat',
    steps: (setup) => [
      { text: 'connect.step.open', link: nextChatLink(setup) },
      ...byHand(setup, setup.address),
    ],
  },
  {
    id: 'cc-switch',
    name: 'CC Switch',
    steps: (setup) => [
      { text: 'connect.step.open', link: ccSwitchLink(setup) },
      ...byHand(setup, setup.address),
    ],
  },
]
