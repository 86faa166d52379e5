import type { CatalogModel, CatalogPrice } from '@tollgate/contract'
import { joinNames } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatPrice } from '../../lib/format-price.ts'
import { formatNumber, NO_VALUE } from '../../lib/format.ts'
import { exampleRequest } from '../../lib/snippets/example.ts'
import { modelCommand } from '../../lib/snippets/model-code.ts'
import { useServerAddress } from '../../lib/status.ts'
import { successText } from '../../lib/success.ts'
import { CodeChoice } from '../../ui/code-choice.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import classes from './catalog.module.css'
import { InputPrice, Modalities } from './cells.tsx'

const CHAT_PATHS = '/v1/chat/completions, /v1/responses, /v1/messages, /v1beta/models'

/** Stands for a key of the reader, who may have several or none. */
const KEY = 'sk-…'

export function ModelDetail({ model }: { model: CatalogModel }) {
  const { t } = useTranslation()
  const { path } = exampleRequest(model)
  const tokens = (count: number | null) =>
    count === null ? NO_VALUE : t('catalog.detail.tokens', { tokens: formatNumber(count) })
  const isPerToken = model.price?.unit === 'token'
  return (
    <div className={classes['detail']}>
      <section aria-label={t('catalog.detail.code')}>
        <Code model={model} />
        <p className={classes['hint']}>{t('catalog.detail.key')}</p>
      </section>
      <DescriptionList
        items={[
          {
            name: t(isPerToken ? 'catalog.detail.prices' : 'catalog.detail.price'),
            value: <Prices price={model.price} />,
          },
          { name: t('catalog.detail.context'), value: tokens(model.context_tokens) },
          { name: t('catalog.detail.output'), value: tokens(model.output_tokens) },
          { name: t('catalog.detail.reads'), value: <Modalities names={model.inputs} /> },
          { name: t('catalog.detail.writes'), value: <Modalities names={model.outputs} /> },
          {
            name: t('catalog.detail.paths'),
            value: <code>{model.api === 'chat' ? CHAT_PATHS : path.split('?')[0]}</code>,
          },
          {
            name: t('catalog.detail.health'),
            value:
              model.requests === 0
                ? t('catalog.detail.noRequests')
                : t('catalog.detail.healthText', {
                    success: successText(model),
                    requests: formatNumber(model.requests),
                  }),
          },
          { name: t('catalog.detail.group'), value: model.group },
          ...(model.shutdown === null
            ? []
            : [
                {
                  name: t('catalog.detail.shutdown'),
                  value: t('catalog.detail.shutdownText', { day: model.shutdown }),
                },
              ]),
        ]}
      />
    </div>
  )
}

function Code({ model }: { model: CatalogModel }) {
  const { t } = useTranslation()
  const address = useServerAddress()
  const { path, body } = exampleRequest(model)
  if (body !== undefined) return <CodeChoice request={{ address, key: KEY, path, body }} />
  const command = modelCommand(model, { address, key: KEY })
  return <Copyable block label={t('catalog.detail.code')} text={command} />
}

function Prices({ price }: { price: CatalogPrice | null }) {
  const { t } = useTranslation()
  if (price === null) return t('catalog.detail.noPrice')
  if (price.unit !== 'token') return <InputPrice price={price} />
  const { input, cached, cache_write, output, long_prompts } = price
  const part = (
    name: 'inputPrice' | 'cachedPrice' | 'writePrice' | 'outputPrice',
    dollars: number | null,
  ) => (dollars === null ? [] : [t(`catalog.detail.${name}`, { price: formatPrice(dollars) })])
  return (
    <>
      {joinNames([
        ...part('inputPrice', input),
        ...part('cachedPrice', cached),
        ...part('writePrice', cache_write),
        ...part('outputPrice', output),
      ])}
      {long_prompts.map((long) => (
        <span key={long.above} className={classes['long']}>
          {t('catalog.detail.longPrice', {
            above: formatNumber(long.above),
            prices: joinNames([
              ...part('inputPrice', long.input),
              ...part('outputPrice', long.output),
            ]),
          })}
        </span>
      ))}
    </>
  )
}
