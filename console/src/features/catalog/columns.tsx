import type { CatalogModel } from '@tollgate/contract'
import { t } from '../../i18n/texts.ts'
import { formatCount, formatNumber, formatDuration, NO_VALUE } from '../../lib/format.ts'
import { successText } from '../../lib/success.ts'
import type { Column } from '../../ui/data-table/column.ts'
import { TruncatedText } from '../../ui/truncated-text.tsx'
import { Api, InputPrice, Modalities, ModelName, Price, TryLink } from './cells.tsx'
import { vendorName } from './vendor-names.messages.ts'

const tokenPrice = (
  { price, api }: CatalogModel,
  part: 'cached' | 'output',
  orElse: string | number = NO_VALUE,
) => {
  // Embeddings and the like have no output to pay for.
  const dollars =
    price?.unit === 'token' && (price[part] !== 0 || api === 'chat') ? price[part] : null
  return {
    dollars: dollars ?? orElse,
    text: dollars === null ? NO_VALUE : <Price dollars={dollars} />,
  }
}

export const columns: readonly Column<CatalogModel>[] = [
  {
    id: 'id',
    label: 'catalog.column.id',
    sortable: true,
    shown: 'always',
    flexible: true,
    csv: ({ id }) => id,
    cell: (model) => <ModelName model={model} />,
  },
  {
    id: 'vendor',
    label: 'catalog.column.vendor',
    sortable: true,
    shown: 'wide',
    csv: ({ vendor }) => vendorName(vendor),
    cell: ({ vendor }) => <TruncatedText text={vendorName(vendor) || NO_VALUE} width={130} />,
  },
  {
    id: 'api',
    label: 'catalog.column.api',
    sortable: true,
    shown: 'wide',
    csv: ({ api }) => t(`catalog.api.${api}`),
    cell: ({ api }) => <Api api={api} />,
  },
  {
    id: 'input',
    label: 'catalog.column.input',
    align: 'right',
    sortable: true,
    csv: ({ price }) => (price?.unit === 'token' ? price.input : (price?.each ?? '')),
    cell: ({ price }) => <InputPrice price={price} />,
  },
  {
    id: 'cached',
    label: 'catalog.column.cached',
    align: 'right',
    sortable: true,
    shown: 'wide',
    csv: (model) => tokenPrice(model, 'cached', '').dollars,
    cell: (model) => tokenPrice(model, 'cached').text,
  },
  {
    id: 'output',
    label: 'catalog.column.output',
    align: 'right',
    sortable: true,
    csv: (model) => tokenPrice(model, 'output', '').dollars,
    cell: (model) => tokenPrice(model, 'output').text,
  },
  {
    id: 'context',
    label: 'catalog.column.context',
    align: 'right',
    sortable: true,
    shown: 'wide',
    csv: ({ context_tokens }) => context_tokens ?? '',
    cell: ({ context_tokens: tokens }) =>
      tokens === null ? NO_VALUE : <span title={formatNumber(tokens)}>{formatCount(tokens)}</span>,
  },
  {
    id: 'reads',
    label: 'catalog.column.reads',
    shown: 'wide',
    csv: ({ inputs }) => inputs.join(' '),
    cell: ({ inputs }) => <Modalities names={inputs} width={200} />,
  },
  {
    id: 'success',
    label: 'catalog.column.success',
    align: 'right',
    sortable: true,
    shown: 'wide',
    csv: (model) => (model.requests === 0 ? '' : successText(model)),
    cell: (model) => successText(model),
  },
  {
    id: 'firstToken',
    label: 'catalog.column.firstToken',
    align: 'right',
    sortable: true,
    shown: 'wide',
    csv: ({ first_token }) => first_token ?? '',
    cell: ({ first_token }) => (first_token === null ? NO_VALUE : formatDuration(first_token)),
  },
  {
    id: 'try',
    label: 'catalog.column.try',
    shown: 'wide',
    cell: (model) => <TryLink model={model} />,
  },
  {
    id: 'shutdown',
    label: 'catalog.column.shutdown',
    sortable: true,
    shown: 'optional',
    csv: ({ shutdown }) => shutdown ?? '',
    cell: ({ shutdown }) => shutdown ?? NO_VALUE,
  },
]
