import { Button, Select, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CatalogModel, Token } from '@tollgate/contract'
import { useTranslation } from '../../../i18n/use-translation.ts'
import { exampleModel, useCatalog } from '../../../lib/catalog.ts'
import { maskKey, splitList } from '../../../lib/format.ts'
import { errorText } from '../../../lib/report-error.ts'
import { Link, useParams } from '../../../lib/router/router.tsx'
import { useServerAddress, useSystemName } from '../../../lib/status.ts'
import { useStored } from '../../../lib/use-stored.ts'
import { Copyable } from '../../../ui/copyable.tsx'
import { Failed } from '../../../ui/failed.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { Page } from '../../../ui/page.tsx'
import { tokenQuery } from '../queries.ts'
import { CHAT_APPS } from './chat-apps.ts'
import { CODING_AGENTS } from './coding-agents.ts'
import classes from './connect.module.css'
import { EDITORS } from './editors.ts'
import { FirstRequest } from './first-request.tsx'
import './messages.ts'
import { PROGRAMS } from './programs.ts'
import type { Setup } from './setup.ts'
import { Steps } from './steps.tsx'

const CLIENTS = [...PROGRAMS, ...CODING_AGENTS, ...EDITORS, ...CHAT_APPS]

export function ConnectPage() {
  const { t } = useTranslation()
  const id = Number(useParams()['id'])
  const token = useQuery(tokenQuery(id))
  if (token.error && !token.data) {
    return (
      <Failed
        title={t('tokenTitle.connect')}
        message={errorText(token.error)}
        onRetry={() => void token.refetch()}
        list={{ path: '/token', title: t('tokenTitle.list') }}
      />
    )
  }
  if (!token.data) return <Loading page={t('tokenTitle.connect')} />
  return <Connect token={token.data} />
}

function Connect({ token }: { token: Token }) {
  const { t } = useTranslation()
  const key = `sk-${token.key}`
  const isUnused = token.accessed_time === 0
  return (
    <Page
      title={t('connect.page.title', { name: token.name })}
      width="text"
      actions={
        <Button component={Link} to="/token" variant="default">
          {t('connect.page.done')}
        </Button>
      }
    >
      {isUnused && <p className={classes['intro']}>{t('connect.page.created')}</p>}
      <div className={classes['key']}>
        <span>{t('connect.page.key')}</span>
        <Copyable label={t('connect.page.key')} shown={maskKey(token.key)} text={key} />
        <span className={classes['hint']}>{t('connect.page.keyHint')}</span>
      </div>
      <FirstRequest id={token.id} />
      <Clients token={token} />
    </Page>
  )
}

function Clients({ token }: { token: Token }) {
  const { t } = useTranslation()
  const [stored, setStored] = useStored('connect_client')
  const { models, model, setModel } = useModel(token)
  const address = useServerAddress()
  const systemName = useSystemName()
  const current = CLIENTS.find(({ id }) => id === stored) ?? CLIENTS[0]
  const setup: Setup = { address, key: `sk-${token.key}`, model, systemName }
  return (
    <>
      <Select
        className={classes['model'] ?? ''}
        label={t('connect.page.model')}
        data={models}
        value={model.id}
        allowDeselect={false}
        searchable
        nothingFoundMessage={t('common.form.noResults')}
        onChange={(id) => id !== null && setModel(id)}
      />
      <Tabs value={current?.id ?? null} onChange={setStored} keepMounted={false}>
        <Tabs.List aria-label={t('connect.page.client')}>
          {CLIENTS.map(({ id, name }) => (
            <Tabs.Tab key={id} value={id} className={classes['tab'] ?? ''}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {CLIENTS.map((client) => (
          <Tabs.Panel key={client.id} value={client.id}>
            <Steps client={client} setup={setup} shown={{ ...setup, key: maskKey(token.key) }} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  )
}

/** Models that the token allows, and the chosen one. */
function useModel(token: Token) {
  const { data } = useCatalog()
  const [chosen, setModel] = useState<string>()
  const allowed = splitList(token.models)
  const callable = data?.filter(({ id }) => allowed.length === 0 || allowed.includes(id)) ?? []
  const example = exampleModel(data, allowed)
  const found = callable.find(({ id }) => id === (chosen ?? example.id))
  const models = [...new Set([example.id, ...callable.map(({ id }) => id)])]
  return { models, setModel, model: { ...(found ?? example), ...limitsOf(found) } }
}

const limitsOf = (model: CatalogModel | undefined) => ({
  context: model?.context_tokens ?? null,
  output: model?.output_tokens ?? null,
})
