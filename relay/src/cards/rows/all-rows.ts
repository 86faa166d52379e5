import type { VendorRows } from '../model-card.ts'
import { alibabaRows } from './alibaba.ts'
import { anthropicRows } from './anthropic.ts'
import { deepseekRows } from './deepseek.ts'
import { googleRows } from './google.ts'
import {
  azureRows,
  baiduRows,
  cerebrasRows,
  cohereRows,
  groqRows,
  openrouterRows,
  tencentRows,
} from './hosts.ts'
import { minimaxRows } from './minimax.ts'
import { mistralRows } from './mistral.ts'
import { moonshotRows } from './moonshot.ts'
import { openaiRows } from './openai.ts'
import { xaiRows } from './xai.ts'
import { xiaomiRows } from './xiaomi.ts'
import { zhipuRows } from './zhipu.ts'

/** No name of a model matches two makers. */
export const ALL_ROWS: readonly VendorRows[] = [
  openaiRows,
  anthropicRows,
  googleRows,
  deepseekRows,
  moonshotRows,
  zhipuRows,
  minimaxRows,
  alibabaRows,
  xiaomiRows,
  xaiRows,
  mistralRows,
  azureRows,
  baiduRows,
  cerebrasRows,
  cohereRows,
  groqRows,
  openrouterRows,
  tencentRows,
]
