import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { PriceFeed } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { Empty } from '../../ui/empty.tsx'
import { LoadedSection } from '../../ui/loaded-section.tsx'
import { FeedDialog } from './feed-dialog.tsx'
import { FeedRow } from './feed-row.tsx'
import classes from './pricing.module.css'
import { feedsQuery } from './queries.ts'

export function FeedsSection({ onShow }: { onShow: (feed: PriceFeed) => void }) {
  const { t } = useTranslation()
  const query = useQuery(feedsQuery)
  /** Null for a new feed, undefined while no feed is edited. */
  const [edited, setEdited] = useState<PriceFeed | null>()
  const add = (
    <Button variant="default" onClick={() => setEdited(null)}>
      {t('pricing.feed.add')}
    </Button>
  )
  return (
    <LoadedSection id="feeds" title={t('pricing.feed.title')} query={query} actions={add}>
      {(feeds) => (
        <>
          <Text c="dimmed" mb="md">
            {t('pricing.feed.hint')}
          </Text>
          {feeds.length === 0 ? (
            <Empty title={t('pricing.feed.none')} body={t('pricing.feed.noneBody')} />
          ) : (
            <ul className={classes['feeds']}>
              {feeds.map((feed) => (
                <FeedRow
                  key={feed.id}
                  feed={feed}
                  onShow={() => onShow(feed)}
                  onEdit={() => setEdited(feed)}
                />
              ))}
            </ul>
          )}
          {edited !== undefined && (
            <FeedDialog feed={edited} onClose={() => setEdited(undefined)} />
          )}
        </>
      )}
    </LoadedSection>
  )
}
