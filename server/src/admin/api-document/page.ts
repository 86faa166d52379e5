import type { Language } from '@tollgate/contract'
import { escapeHtml } from '../../text/escape-html.ts'
import { describeEndpoints, type EndpointDescription, type JsonSchema } from './describe.ts'
import { bodyExample, exampleOf } from './examples.ts'
import { fieldRule } from './field-rule.ts'
import { PAGE_STYLE } from './page-style.ts'
import { PAGE_TEXTS, type PageTexts } from './page-texts.ts'
import { RESOURCE_TITLES } from './summaries.ts'

/** The HTML page, without scripts or external resources. */
export function createPage(language: Language): string {
  const texts = PAGE_TEXTS[language]
  const endpoints = describeEndpoints(language)
  const titles = Object.entries(RESOURCE_TITLES).map(([name, title]) => ({
    name,
    title: title[language],
  }))
  const links = titles.map(
    ({ name, title }) => `<li><a href="#${name}">${escapeHtml(title)}</a></li>`,
  )
  const sections = titles.map(({ name, title }) => {
    const rows = endpoints.filter(({ resource }) => resource === name)
    const details = rows.map((endpoint) => detailsOf(endpoint, texts)).join('')
    return `<section id="${name}"><h2>${escapeHtml(title)}</h2>${details}</section>`
  })
  return `<!doctype html>
<html lang="${language === 'zh' ? 'zh-CN' : 'en'}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(texts.title)}</title><style>${PAGE_STYLE}</style></head><body>
<header><h1>${escapeHtml(texts.title)}</h1><p>${escapeHtml(texts.intro)}</p>
<p>${escapeHtml(texts.machineReadable)} <a href="/api/openapi.json">/api/openapi.json</a></p></header>
<nav aria-label="${escapeHtml(texts.resources)}"><ul>${links.join('')}</ul></nav>
<main>${sections.join('\n')}</main></body></html>
`
}

function detailsOf(endpoint: EndpointDescription, texts: PageTexts): string {
  const { name, method, path, access, summary } = endpoint
  const notes = [
    ...endpoint.prefixes.map((prefix) => `${texts.alsoAt} ${prefix}${path}`),
    ...(endpoint.isPaged ? [texts.paged] : []),
    ...(endpoint.changesState ? [texts.browsersOnly] : []),
    ...(endpoint.needsConfirmation ? [texts.confirmed] : []),
    ...(endpoint.sessionOnly ? [texts.sessionOnly] : []),
  ]
  return `<details id="${name}"><summary><code>${method}</code><code class="path">${escapeHtml(path)}</code>
<span class="access">${escapeHtml(texts.access[access])}</span><span class="what">${escapeHtml(summary)}</span></summary>
<div class="body">${fieldsOf(endpoint, texts)}${answerOf(endpoint, texts)}
${notes.map((note) => `<p class="dim">${escapeHtml(note)}</p>`).join('')}
<h3>${escapeHtml(texts.example)}</h3><pre tabindex="0"><code>${escapeHtml(curlOf(endpoint))}</code></pre></div></details>`
}

function fieldsOf(endpoint: EndpointDescription, texts: PageTexts): string {
  const rows = (['params', 'query', 'body'] as const).flatMap((place) => {
    const { properties = {}, required = [] } = endpoint[place] ?? {}
    return Object.entries(properties).map(([name, schema]) => {
      const isRequired = place === 'params' || required.includes(name)
      const end = isRequired ? [texts.required] : defaultOf(schema, texts)
      const rule = [fieldRule(schema, texts.characters), ...end].join('; ')
      return `<tr><td><code>${name}</code></td><td>${escapeHtml(texts.places[place])}</td><td>${escapeHtml(rule)}</td></tr>`
    })
  })
  if (rows.length === 0) return `<p>${escapeHtml(texts.noInput)}</p>`
  const heads = [texts.field, texts.place, texts.rule].map((head) => `<th>${escapeHtml(head)}</th>`)
  return `<div class="scroll"><table><thead><tr>${heads.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}

function defaultOf(schema: unknown, texts: PageTexts): string[] {
  if (typeof schema !== 'object' || schema === null || !('default' in schema)) return []
  return [`${texts.fallback} ${JSON.stringify(schema.default)}`]
}

function answerOf({ access, data, rows, extra }: EndpointDescription, texts: PageTexts): string {
  const names = Object.keys(extra?.properties ?? {}).join(', ')
  const extraFields =
    names === '' ? '' : `<p>${escapeHtml(texts.extra)} <code>${escapeHtml(names)}</code></p>`
  if (rows !== undefined) {
    return `<h3>${escapeHtml(texts.lines)}</h3><p><code>${escapeHtml(shapeOf(rows, texts))}</code></p>`
  }
  if (data === undefined) return `<p>${escapeHtml(texts.noData)}</p>${extraFields}`
  const shape = escapeHtml(shapeOf(data, texts))
  const head = access === 'relay_key' ? texts.plainAnswer : texts.answer
  return `<h3>${escapeHtml(head)}</h3><p><code>${shape}</code></p>${extraFields}`
}

/** Field names only, such as `[{ id, name }]`; the OpenAPI document has the types. */
function shapeOf(schema: JsonSchema, texts: PageTexts): string {
  const { properties, items } = schema
  if (properties) return `{ ${Object.keys(properties).join(', ')} }`
  if (typeof items === 'object' && !Array.isArray(items)) return `[${shapeOf(items, texts)}]`
  return fieldRule(schema, texts.characters)
}

function curlOf({ name, method, path, access, query, body }: EndpointDescription): string {
  const required = Object.entries(query ? exampleOf(query, 'required') : {})
  const search = new URLSearchParams(required.map(([field, value]) => [field, String(value)]))
  const address = `https://this.server${path.replace('{id}', '1')}`
  const lines = [`curl${method === 'GET' ? '' : ` -X ${method}`} '${address}${question(search)}'`]
  const key = access === 'relay_key' ? '$RELAY_KEY' : '$ACCESS_TOKEN'
  if (access !== 'public') lines.push(`-H "Authorization: Bearer ${key}"`)
  if (body) lines.push(`-d '${JSON.stringify(bodyExample(name, body))}'`)
  return lines.join(' \\\n  ')
}

const question = (search: URLSearchParams) => (search.size === 0 ? '' : `?${search.toString()}`)
