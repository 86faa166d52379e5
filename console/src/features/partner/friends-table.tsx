import { Button, Group, Pagination, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from '../../i18n/use-translation.ts'
import { errorText } from '../../lib/report-error.ts'
import { useSearchParams } from '../../lib/router/router.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Time } from '../../ui/time.tsx'
import { FRIENDS_PER_PAGE, friendsQuery } from './queries.ts'

export function FriendsTable() {
  const { t } = useTranslation()
  const [params, setParams] = useSearchParams()
  const requestedPage = Number(params.get('page') ?? 1)
  const page = Number.isSafeInteger(requestedPage) && requestedPage >= 1 ? requestedPage : 1
  const { data, error, refetch, isPending, isPlaceholderData } = useQuery(friendsQuery(page))
  const pageCount = Math.max(page, Math.ceil((data?.total ?? 0) / FRIENDS_PER_PAGE))
  return (
    <section aria-busy={isPending || isPlaceholderData}>
      <Title order={2} mb="sm">
        {t('partner.friends.title')}
      </Title>
      {error && !data && (
        <Empty
          alert
          title={t('partner.friends.failed')}
          body={errorText(error)}
          action={
            <Button variant="default" onClick={() => void refetch()}>
              {t('common.action.retry')}
            </Button>
          }
        />
      )}
      {!data && !error && <Loading page={t('partner.friends.title')} />}
      {data && (
        <Table aria-label={t('partner.friends.label')} horizontalSpacing={0}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('partner.friends.time')}</Table.Th>
              <Table.Th scope="col">{t('partner.friends.username')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.friends.map(({ invited_time, username }) => (
              <Table.Tr key={username}>
                <Table.Td>
                  <Time seconds={invited_time} />
                </Table.Td>
                <Table.Td>{username}</Table.Td>
              </Table.Tr>
            ))}
            {data.friends.length === 0 && (
              <Table.Tr>
                <Table.Td colSpan={2}>
                  <Text c="dimmed">
                    {t(page === 1 ? 'partner.friends.empty' : 'common.table.noMorePage')}
                  </Text>
                </Table.Td>
              </Table.Tr>
            )}
          </Table.Tbody>
        </Table>
      )}
      {data && pageCount > 1 && (
        <Group
          component="nav"
          aria-label={t('partner.friends.pages')}
          justify="space-between"
          mt="sm"
        >
          <Text c="dimmed">{t('partner.friends.total', { count: data.total })}</Text>
          <Pagination
            size="sm"
            total={pageCount}
            value={page}
            siblings={1}
            boundaries={1}
            onChange={(next) => setParams(next === 1 ? {} : { page: String(next) })}
            getItemProps={(item) => ({ 'aria-label': t('common.table.page', { page: item }) })}
            getControlProps={(control) =>
              control === 'next' || control === 'previous'
                ? { 'aria-label': t(`common.table.${control}`) }
                : {}
            }
          />
        </Group>
      )}
    </section>
  )
}
