import { openaiModels } from '../../openai-models.ts'
import { OPENAI_ENDPOINTS, type ProviderColor, type ProviderDescriptor } from '../../provider.ts'
import { openaiApi } from '../../proxy-address-field.ts'

type Row = readonly [
  type: number,
  name: string,
  color: ProviderColor,
  baseUrl: string,
  balanceUnit: ProviderDescriptor['balanceUnit'],
]

const ROWS: readonly Row[] = [
  [2, 'API2D', 'blue', 'https://oa.api2d.net', null],
  [5, 'OpenAI-SB', 'brown', 'https://api.openai-sb.com', 'cny/10000'],
  [7, 'OhMyGPT', 'purple', 'https://api.ohmygpt.com', null],
  [10, 'AI Proxy', 'purple', 'https://api.aiproxy.io', 'number'],
  [4, 'CloseAI', 'teal', 'https://api.closeai-proxy.xyz', 'cny'],
  [6, 'OpenAI Max', 'violet', 'https://api.openaimax.com', null],
  [9, 'AI.LS', 'yellow', 'https://api.caipacity.com', null],
  [12, 'API2GPT', 'blue', 'https://api.api2gpt.com', 'cny'],
  [13, 'AIGC2D', 'purple', 'https://api.aigc2d.com', 'number'],
]

/** Resellers of OpenAI's API, in the order of the console's forms. */
export const resellers = ROWS.map(
  ([type, name, color, baseUrl, balanceUnit]): ProviderDescriptor => ({
    ...openaiApi,
    type,
    name: { en: `Proxy: ${name}`, zh: `代理：${name}` },
    color,
    baseUrl,
    models: openaiModels,
    balanceUnit,
    supports: OPENAI_ENDPOINTS,
  }),
)
