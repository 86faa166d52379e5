import { Group, Skeleton, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { channelEndpoints, type HealthWord } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { Link } from '../../lib/router/router.tsx'
import { RetryLine } from '../../ui/retry-line.tsx'
import { StateDot, type Tone } from '../../ui/state-dot.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'

/** Worst first. Channels that are off or untested need no action. */
const SHOWN = [
  ['failing', 'bad'],
  ['cooling', 'slow'],
  ['slow', 'slow'],
  ['degraded', 'slow'],
  ['healthy', 'good'],
] as const satisfies readonly (readonly [HealthWord, Tone])[]

export const useChannelHealth = (isWanted: boolean) =>
  useQuery({
    queryKey: ['channels', 'summary'],
    queryFn: async ({ signal }) =>
      (await call(channelEndpoints.summarizeChannels, { query: {} }, signal)).data.health,
    enabled: isWanted,
    meta: { quiet: true },
  })

/** Height of a line of links, in pixels. */
const LINKS_HEIGHT = 20

/** Answers an operator's first question: is anything broken? */
export function ChannelSummary({ isWanted }: { isWanted: boolean }) {
  const { t } = useTranslation()
  const { data, error, isPending, refetch } = useChannelHealth(isWanted)
  const isLate = useDelayed(isPending)
  const shown = SHOWN.filter(([word]) => (data?.[word] ?? 0) > 0)
  if (shown.length === 0 && data) return null
  return (
    <section>
      <Title order={2} mb="sm">
        {t('home.channels.title')}
      </Title>
      {isPending && <Skeleton height={LINKS_HEIGHT} visible={isLate} />}
      {error && !data && <RetryLine error={error} onRetry={() => void refetch()} />}
      <Group gap="lg">
        {shown.map(([word, tone]) => (
          <Link key={word} to={`/channel?health=${word}`}>
            <StateDot tone={tone} text={t(`home.channels.${word}`, { count: data?.[word] ?? 0 })} />
          </Link>
        ))}
      </Group>
    </section>
  )
}
