import { Alert, Button, PasswordInput, Select, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { channelEndpoints } from '@tollgate/contract'
import { currentLanguage } from '../../../i18n/texts.ts'
import { useTranslation } from '../../../i18n/use-translation.ts'
import { call } from '../../../lib/api.ts'
import { NO_CACHE } from '../../../lib/no-cache.ts'
import { errorText, refusedCode } from './errors.ts'
import { type Provider, providersIn } from './providers.ts'
import classes from './start.module.css'

type Draft = { provider: Provider; key: string; baseUrl: string }

/** The provider's own models that have a price; without such a list, those that are known. */
async function modelsOf({ provider, key, baseUrl }: Draft): Promise<readonly string[]> {
  const source = { type: provider.type, key, base_url: baseUrl }
  try {
    const { data } = await call(channelEndpoints.fetchModels, { body: source })
    const priced = data.models.filter((model) => !data.unpriced.includes(model))
    if (priced.length > 0) return priced
    return data.models.length > 0 ? data.models : provider.models
  } catch (error) {
    if (refusedCode(error) !== 'model_list_unsupported') throw error
    return provider.models
  }
}

/** Fetches the models and creates the channel with them. */
async function connect(draft: Draft) {
  const { provider, key, baseUrl } = draft
  const models = await modelsOf(draft)
  const { type, name } = provider
  const body = { type, name, key, base_url: baseUrl, models: models.join(',') }
  return (await call(channelEndpoints.createChannels, { body })).data[0]
}

export function ConnectStep({ onConnected }: { onConnected: (channelId: number) => void }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const providers = providersIn(currentLanguage())
  const [id, setId] = useState(providers[0]?.id ?? '')
  const [key, setKey] = useState('')
  const [baseUrl, setBaseUrl] = useState('')
  const [isSubmitted, setIsSubmitted] = useState(false)
  const provider = providers.find((candidate) => candidate.id === id)
  const asksAddress = provider?.baseUrl === '' || provider?.type === CUSTOM_TYPE
  const creation = useMutation({
    ...NO_CACHE,
    mutationFn: connect,
    meta: { quiet: true },
    onSuccess: (channel) => channel && onConnected(channel.id),
    onSettled: () =>
      Promise.all(
        [['channels'], ['catalog']].map((queryKey) => client.invalidateQueries({ queryKey })),
      ),
  })
  const usedKey = key.trim() || (provider?.usualKey ?? '')
  const submit = (event: { preventDefault: () => void }) => {
    event.preventDefault()
    setIsSubmitted(true)
    if (!provider || usedKey === '' || (asksAddress && baseUrl.trim() === '')) return
    const address = asksAddress ? baseUrl.trim() : isPreset(provider) ? provider.baseUrl : ''
    creation.mutate({ provider, key: usedKey, baseUrl: address })
  }
  const missing = (text: string) => isSubmitted && text.trim() === '' && t('start.connect.missing')
  return (
    <form className={classes['fields']} noValidate onSubmit={submit}>
      <Select
        label={t('start.connect.provider')}
        data={providers.map(({ id: value, name }) => ({ value, label: name }))}
        value={id}
        allowDeselect={false}
        searchable
        nothingFoundMessage={t('common.form.noResults')}
        onChange={(value) => value !== null && setId(value)}
      />
      {asksAddress && (
        <TextInput
          label={t('start.connect.baseUrl')}
          description={t('start.connect.baseUrlHint')}
          autoComplete="off"
          inputMode="url"
          value={baseUrl}
          error={missing(baseUrl)}
          onChange={(event) => setBaseUrl(event.currentTarget.value)}
        />
      )}
      <PasswordInput
        label={t('start.connect.key')}
        description={t('start.connect.keyHint')}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': t('common.form.showPassword') }}
        value={key}
        error={missing(usedKey)}
        onChange={(event) => setKey(event.currentTarget.value)}
      />
      <div>
        <Button type="submit" loading={creation.isPending}>
          {t('start.connect.submit')}
        </Button>
      </div>
      {creation.error && (
        <Alert color="red" role="alert">
          {errorText(creation.error)}
        </Alert>
      )}
    </form>
  )
}

const CUSTOM_TYPE = 8

/** Presets have no type of their own, so their address is stored. */
const isPreset = ({ id }: Provider) => !id.startsWith('type ')
