import type { Language } from '@tollgate/contract'
import { escapeHtml } from '../text/escape-html.ts'

/** `where` names the console's page about a message, for readers outside of the console. */
export type Part = string | { code: string } | { url: string } | { where: string }

export type Page = { subject: string; parts: readonly Part[] }

export type Letter = { subject: string; text: string; html: string }

export function writeLetter(
  systemName: string,
  pages: readonly (Page & { language: Language })[],
): Letter {
  const titles = pages.map(({ subject }) => subject).join(' / ')
  const bodies = pages.map(({ language, parts }) => {
    const inner = parts.map(partHtml).join('')
    return `<div lang="${language}">${inner}</div>`
  })
  return {
    subject: `[${systemName}] ${titles}`,
    text: `${pages.map(({ parts }) => parts.map(partText).join('\n\n')).join('\n\n--\n\n')}\n`,
    html: `<!doctype html><html><body style="${BODY}">${bodies.join('<hr style="border:0;border-top:1px solid #ddd">')}</body></html>`,
  }
}

const BODY = 'font-family:sans-serif;font-size:15px;line-height:1.6;color:#222'
const CODE = 'font-family:monospace;font-size:24px;letter-spacing:2px'

function partText(part: Part): string {
  if (typeof part === 'string') return part
  if ('where' in part) return part.where
  return 'code' in part ? part.code : part.url
}

function partHtml(part: Part): string {
  if (typeof part === 'string') return `<p>${escapeHtml(part).replaceAll('\n', '<br>')}</p>`
  if ('where' in part) return partHtml(part.where)
  if ('code' in part) return `<p style="${CODE}">${escapeHtml(part.code)}</p>`
  const url = escapeHtml(part.url)
  return `<p><a href="${url}">${url}</a></p>`
}
