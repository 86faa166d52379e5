import { jsonIn } from '../bytes/json-parse.ts'
import { type JsonRecord, listOf, member } from '../bytes/json-value.ts'
import type { RequestProblem } from '../errors/request-problem.ts'
import { imageAddress } from '../media/data-url.ts'
import type { MeasureContext } from '../relay-request.ts'
import type { AnswerSummary } from '../usage/answer-summary.ts'
import type { Usage } from '../usage/usage.ts'
import {
  checkInteger,
  invalid,
  missing,
  unsupported,
  wrongType,
} from '../wires/openai-chat/check-fields.ts'
import { readJsonTask, summaryIn, type TaskTerms } from './json-task.ts'
import type { TaskReader } from './task.ts'
import { tokensForUnits, usageForUnits } from './units.ts'

/*
 * Optical character recognition turns the pages of a document into text. Requests and answers have
 * Mistral's form (https://docs.mistral.ai/api/endpoint/ocr).
 */

/** Mistral refuses longer documents. */
const PAGES_MAX = 1000

/** What Mistral charges more for: structured data about the document or its pictures. */
const ANNOTATIONS = ['document_annotation_format', 'bbox_annotation_format'] as const

type OcrRequest = { readonly pagesMax: number; readonly isAnnotated: boolean }

export const readOcr: TaskReader = (endpoint, body) =>
  readJsonTask(
    { endpoint, body },
    {
      metered: ['document', 'pages', ...ANNOTATIONS],
      check: ({ document, pages }) => checkDocument(document) ?? checkPages(pages),
      terms: ({ json }, model) => termsOf(model, readRequest(json)),
    },
  )

function checkDocument(document: unknown): RequestProblem | null {
  if (document === undefined || document === null) {
    return missing('document', 'Give the document as a document_url or an image_url')
  }
  switch (member(document, 'type')) {
    case 'document_url':
      return checkAddress(member(document, 'document_url'), 'document.document_url')
    case 'image_url':
      return checkAddress(imageIn(document), 'document.image_url')
    case 'file':
      // A file's id would belong to the operator's account, which all users share.
      return unsupported('document.type', 'Files are not stored here. Send a data URL instead')
    default:
      return wrongType('document.type', "'document_url' or 'image_url'")
  }
}

const imageIn = (document: unknown) => imageAddress(member(document, 'image_url'))

const checkAddress = (address: unknown, name: string): RequestProblem | null =>
  typeof address === 'string' && address !== ''
    ? null
    : wrongType(name, 'an address, or a data URL with the content')

/** A list of numbers, or text such as `0-4,7`. Both count from 0. */
function checkPages(pages: unknown): RequestProblem | null {
  if (pages === undefined || pages === null) return null
  if (typeof pages === 'string' && PAGE_RANGES.test(pages)) return null
  if (!Array.isArray(pages)) return wrongType('pages', 'an array of numbers, or text such as 0-4,7')
  if (pages.length === 0 || pages.length > PAGES_MAX) {
    return invalid('pages', `must have from 1 to ${PAGES_MAX} items`)
  }
  const problems = pages.map((page) =>
    checkInteger(page ?? '', 'pages', 0, Number.MAX_SAFE_INTEGER),
  )
  return problems.find((problem) => problem !== null) ?? null
}

const PAGE_RANGES = /^\d{1,6}(?:-\d{1,6})?(?:,\d{1,6}(?:-\d{1,6})?){0,999}$/

const readRequest = (json: JsonRecord): OcrRequest => ({
  pagesMax: Math.min(pagesIn(json), PAGES_MAX),
  isAnnotated: ANNOTATIONS.some((name) => (json[name] ?? null) !== null),
})

/** Content that has several pages, although it is given as an image. */
const MANY_PAGES = /^data:(?:application\/|image\/tiff)/i

function pagesIn({ document, pages }: JsonRecord): number {
  if (member(document, 'type') === 'image_url' && !MANY_PAGES.test(imageIn(document))) return 1
  if (Array.isArray(pages)) return pages.length
  if (typeof pages !== 'string') return PAGES_MAX
  const lengths = pages.split(',').map((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Math.abs(last - first) + 1
  })
  return lengths.reduce((sum, length) => sum + length, 0)
}

/** Models that are sold by the page; other models read documents in chats. */
export const PRICED_PER_PAGE = /^(?:mistral\/)?mistral-ocr/i

/** What an annotated page costs, in pages (https://mistral.ai/pricing#api-pricing). */
const ANNOTATED_PAGE: readonly [family: RegExp, pages: number][] = [
  [/ocr-(?:2503|2505)/, 3],
  [/ocr-(?:2512|3)/, 1.5],
  [/ocr-/, 1.25],
]

function pageFactor(model: string, isAnnotated: boolean): number {
  if (!isAnnotated) return 1
  return ANNOTATED_PAGE.find(([family]) => family.test(model))?.[1] ?? 1
}

function termsOf(model: string, request: OcrRequest): TaskTerms {
  const { pagesMax: count, isAnnotated } = request
  const boundsFor = (priced: string) => ({
    promptTokensUpperBound: tokensForUnits(
      { unit: 'page', count },
      pageFactor(priced, isAnnotated),
    ),
    outputLimit: 0,
  })
  const pricedAs = (upstream: string) => (PRICED_PER_PAGE.test(model) ? model : upstream)
  return {
    ...boundsFor(model),
    boundsFor: (upstream) => boundsFor(pricedAs(upstream)),
    readAnswer,
    measure: (answer, context) =>
      measure(answer, request, { ...context, model: pricedAs(context.model) }),
  }
}

/** `measure` knows the model whose price applies, so it counts the pages. */
function readAnswer(body: Buffer): AnswerSummary {
  const json = jsonIn(body)
  const pages = listOf(member(json, 'pages'))
  const isPage = (page: unknown) => typeof member(page, 'markdown') === 'string'
  return summaryIn(json, pages.length > 0 && pages.every(isPage), null)
}

/** The pages that the provider reports, else those delivered; never more than were asked for. */
function measure(answer: Buffer | null, asked: OcrRequest, context: MeasureContext): Usage {
  const json = answer === null ? null : jsonIn(answer)
  const factor = pageFactor(context.model, asked.isAnnotated)
  const usageOf = (count: number) => usageForUnits({ unit: 'page', count }, factor)
  const delivered = Math.min(listOf(member(json, 'pages')).length, asked.pagesMax)
  const reported = member(member(json, 'usage_info'), 'pages_processed')
  if (typeof reported !== 'number' || !Number.isInteger(reported) || reported < 0) {
    return usageOf(delivered)
  }
  if (reported <= asked.pagesMax) return usageOf(reported)
  context.onImplausible?.(usageOf(reported))
  return usageOf(delivered)
}
