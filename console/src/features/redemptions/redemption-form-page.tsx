import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Redemption, REDEMPTION_STATUS, redemptionEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { foreseenText } from '../../lib/foreseen-text.ts'
import { errorText } from '../../lib/report-error.ts'
import { Link, useNavigate, useParams } from '../../lib/router/router.tsx'
import { showSuccess } from '../../lib/toast.ts'
import { useChange } from '../../lib/use-change.ts'
import { Empty } from '../../ui/empty.tsx'
import { Failed } from '../../ui/failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { type CreatedCodes, CreatedCodesPanel, saveCodes } from './created-codes.tsx'
import { redemptionQuery, REDEMPTIONS } from './queries.ts'
import { RedemptionForm } from './redemption-form.tsx'
import {
  draftOf,
  newRedemptionValues,
  type RedemptionValues,
  valuesOf,
} from './redemption-values.ts'

export function RedemptionFormPage() {
  const id = useParams()['id']
  return id === undefined ? <AddRedemptions /> : <LoadRedemption key={id} id={Number(id)} />
}

function AddRedemptions() {
  const { t } = useTranslation()
  const [created, setCreated] = useState<CreatedCodes>()
  const create = useChange(REDEMPTIONS, (body: RedemptionValues) =>
    call(redemptionEndpoints.createRedemptions, { body: draftOf(body) }),
  )
  if (created) return <CreatedCodesPanel created={created} />
  return (
    <Page title={t('redemptionTitle.add')} width="form">
      <RedemptionForm
        isNew
        initial={newRedemptionValues}
        isSaving={create.isPending}
        onSave={(values) =>
          create.mutate(values, {
            onSuccess: ({ data: codes }) => {
              const result = { name: values.name, codes }
              saveCodes(result)
              setCreated(result)
              showSuccess(t('redemption.form.created'))
            },
          })
        }
      />
    </Page>
  )
}

function LoadRedemption({ id }: { id: number }) {
  const { t } = useTranslation()
  const redemption = useQuery(redemptionQuery(id))
  if (redemption.error && !redemption.data) {
    return (
      <Failed
        title={t('redemptionTitle.edit')}
        message={errorText(redemption.error)}
        onRetry={() => void redemption.refetch()}
        list={{ path: '/redemption', title: t('redemptionTitle.list') }}
      />
    )
  }
  if (!redemption.data) return <Loading page={t('redemptionTitle.edit')} />
  return <EditRedemption redemption={redemption.data} />
}

function EditRedemption({ redemption }: { redemption: Redemption }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { id, name, status } = redemption
  const save = useChange(REDEMPTIONS, (values: RedemptionValues) =>
    call(redemptionEndpoints.updateRedemption, {
      query: {},
      body: { id, ...withoutCount(draftOf(values)) },
    }),
  )
  const title = t('redemption.form.editTitleNamed', { name })
  if (status === REDEMPTION_STATUS.used) return <UsedUp title={title} />
  return (
    <Page title={title} width="form">
      <RedemptionForm
        isNew={false}
        initial={valuesOf(redemption)}
        isSaving={save.isPending}
        onSave={(values, allowLeave) =>
          save.mutate(values, {
            onSuccess: () => {
              allowLeave()
              void navigate('/redemption')
              showSuccess(t('redemption.form.saved'))
            },
          })
        }
      />
    </Page>
  )
}

/** The number of codes and their batch are for creation only. */
const withoutCount = ({ count: _count, batch: _batch, ...draft }: ReturnType<typeof draftOf>) =>
  draft

function UsedUp({ title }: { title: string }) {
  const { t } = useTranslation()
  return (
    <Page title={title} width="form">
      <Empty
        title={foreseenText('redemption_is_used')}
        action={
          <Button component={Link} to="/redemption">
            {t('redemption.form.back')}
          </Button>
        }
      />
    </Page>
  )
}
