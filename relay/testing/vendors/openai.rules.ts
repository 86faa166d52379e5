import { HI, OPENAI_HEADERS, SYSTEM } from './chat-requests.ts'
import { OPENAI_CHAT_ROWS, OPENAI_PAIRING_ROWS } from './openai-chat.rules.ts'
import { OPENAI_MODEL_ROWS, STRICT_SCHEMA_ROWS } from './openai-models.rules.ts'
import { type RuleRow, strictVendor } from './strict-vendor.ts'

/** The refusal in OpenAI's form. */
export const openaiRefusal = ({ text: message, code, status = 400 }: Partial<RuleRow>) => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param: null, code: code ?? null } },
})

export const OPENAI_ROWS: readonly RuleRow[] = [
  ...OPENAI_CHAT_ROWS,
  ...STRICT_SCHEMA_ROWS,
  ...OPENAI_MODEL_ROWS,
  ...OPENAI_PAIRING_ROWS,
]

export const openai = strictVendor({
  name: 'openai',
  title: 'OpenAI chat completions',
  chatPath: /\/chat\/completions$/,
  documented: {
    model: 'gpt-4.1',
    path: '/v1/chat/completions',
    headers: OPENAI_HEADERS,
    body: { model: 'gpt-4.1', messages: [SYSTEM, HI] },
  },
  refusal: openaiRefusal,
  rules: OPENAI_ROWS,
})
