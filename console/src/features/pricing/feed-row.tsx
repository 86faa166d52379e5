import { Button } from '@mantine/core'
import { type PriceFeed, priceEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { confirm } from '../../lib/confirm.ts'
import { formatNumber, formatTime } from '../../lib/format.ts'
import { showSuccess } from '../../lib/toast.ts'
import { useChange } from '../../lib/use-change.ts'
import { FileButton } from '../../ui/file-button.tsx'
import classes from './pricing.module.css'
import { PRICES, pullFeed } from './queries.ts'

const remove = ({ id }: PriceFeed) => call(priceEndpoints.deletePriceFeed, { params: { id } })

type Props = { feed: PriceFeed; onShow: () => void; onEdit: () => void }

export function FeedRow({ feed, onShow, onEdit }: Props) {
  const { t } = useTranslation()
  const { id, name } = feed
  const pull = useChange(PRICES, pullFeed)
  const removal = useChange(PRICES, remove)
  const read = (content?: string) =>
    pull.mutate(content === undefined ? { id } : { id, content }, {
      onSuccess: ({ error, models }) => {
        if (error === '') {
          showSuccess(t('pricing.feed.pulled', { name, number: formatNumber(models) }))
        }
      },
    })
  const askAndDelete = async () => {
    const yes = await confirm({
      title: t('pricing.feed.deleteTitle', { name }),
      body: t('pricing.feed.deleteBody'),
      verb: t('pricing.feed.deleteVerb', { name }),
      danger: true,
    })
    if (yes) removal.mutate(feed)
  }
  return (
    <li className={classes['feed']} aria-label={name}>
      <div>
        <strong>{name}</strong>
        <FeedState feed={feed} />
      </div>
      <div className={classes['tools']}>
        <Button size="compact-sm" onClick={onShow} disabled={feed.read_at === 0}>
          {t('pricing.feed.changes')}
        </Button>
        {feed.url === '' ? (
          <FileButton
            accept="application/json"
            size="compact-sm"
            label={t('pricing.feed.uploadTitle', { name })}
            loading={pull.isPending}
            onFile={(file) => void file.text().then(read)}
          >
            {t('pricing.feed.upload')}
          </FileButton>
        ) : (
          <Button
            size="compact-sm"
            variant="default"
            loading={pull.isPending}
            onClick={() => read()}
          >
            {t('pricing.feed.pull')}
          </Button>
        )}
        <Button size="compact-sm" variant="default" onClick={onEdit}>
          {t('common.action.edit')}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => void askAndDelete()}>
          {t('pricing.feed.delete')}
        </Button>
      </div>
    </li>
  )
}

function FeedState({ feed: { kind, models, read_at, error } }: { feed: PriceFeed }) {
  const { t } = useTranslation()
  const state =
    read_at === 0
      ? [t('pricing.feed.never')]
      : [
          t('pricing.feed.models', { count: models, number: formatNumber(models) }),
          t('pricing.feed.readAt', { time: formatTime(read_at) }),
        ]
  return (
    <>
      <p className={classes['dimmed']}>{[t(`pricing.kind.${kind}`), ...state].join(' · ')}</p>
      {error !== '' && (
        <p className={classes['bad']} role="status">
          {t('pricing.feed.failed', { reason: error })}
        </p>
      )}
    </>
  )
}
