import { Button, NativeSelect, Progress, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import {
  BILL_COLUMNS,
  type BillImport,
  type BillMapping,
  type BillPreview,
  type BillSource,
  billEndpoints,
} from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { showSuccess } from '../../lib/toast.ts'
import { useChange } from '../../lib/use-change.ts'
import { FileButton } from '../../ui/file-button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useFocusReturn } from '../../ui/use-focus-return.ts'
import classes from './bills.module.css'
import { startOf } from './file-parts.ts'
import { PreviewTable } from './preview-table.tsx'
import { Problems } from './problems.tsx'
import { BILLS } from './queries.ts'
import { uploadFile } from './upload.ts'

type Props = { source: BillSource; onClose: () => void }

/** Chooses a file, shows its first lines as they would be imported, and imports it. */
export function ImportDialog({ source, onClose }: Props) {
  const { t } = useTranslation()
  useFocusReturn()
  const [file, setFile] = useState<File | null>(null)
  const [share, setShare] = useState<number | null>(null)
  const [failed, setFailed] = useState<BillImport | null>(null)
  const preview = useChange(BILLS, async ({ of, mapping }: { of: File; mapping?: BillMapping }) => {
    const text = await startOf(of)
    const body = { id: source.id, text, ...(mapping && { mapping }) }
    return (await call(billEndpoints.previewBill, { body })).data
  })
  const upload = useChange(BILLS, uploadFile)
  const choose = (chosen: File) => {
    setFile(chosen)
    setFailed(null)
    preview.mutate({ of: chosen })
  }
  const begin = (of: File, mapping: BillMapping) => {
    setShare(0)
    upload.mutate(
      { id: source.id, file: of, mapping, onProgress: setShare },
      {
        onSuccess: (ended) => {
          if (ended.state !== 'done') return setFailed(ended)
          onClose()
          showSuccess(
            t('bill.import.done', {
              added: formatNumber(ended.added),
              repeated: formatNumber(ended.repeated),
            }),
          )
        },
        onSettled: () => setShare(null),
      },
    )
  }
  const { data } = preview
  return (
    <FormDialog size="xl" onClose={onClose} title={t('bill.import.title', { name: source.name })}>
      <Stack gap="md">
        <div className={classes['tools']}>
          <FileButton accept=".csv,text/csv" loading={preview.isPending} onFile={choose}>
            {t('bill.import.choose')}
          </FileButton>
          {file && <Text c="dimmed">{file.name}</Text>}
        </div>
        {file && data && (
          <Mapping preview={data} onChange={(mapping) => preview.mutate({ of: file, mapping })} />
        )}
        {failed && <Problems failed={failed} />}
        {share !== null && (
          <Progress value={share * 100} aria-label={t('bill.import.progress')} animated />
        )}
        {file && data && (
          <Button
            loading={upload.isPending}
            disabled={data.problems.length > 0}
            onClick={() => begin(file, data.mapping)}
          >
            {t('bill.import.begin')}
          </Button>
        )}
      </Stack>
    </FormDialog>
  )
}

type MappingProps = { preview: BillPreview; onChange: (mapping: BillMapping) => void }

function Mapping({ preview, onChange }: MappingProps) {
  const { t } = useTranslation()
  const { columns, mapping, rows, problems } = preview
  const headers = columns.filter((name, index) => name !== '' && columns.indexOf(name) === index)
  const options = [
    { value: '', label: t('bill.import.noColumn') },
    ...headers.map((name) => ({ value: name, label: name })),
  ]
  return (
    <>
      <div className={classes['mapping']}>
        {BILL_COLUMNS.map((column) => (
          <NativeSelect
            key={column}
            label={t(`bill.column.${column}`)}
            data={options}
            value={mapping[column]}
            onChange={(event) => onChange({ ...mapping, [column]: event.currentTarget.value })}
          />
        ))}
        <NativeSelect
          label={t('bill.import.span')}
          data={(['moment', 'hour', 'day'] as const).map((value) => ({
            value,
            label: t(`bill.span.${value}`),
          }))}
          value={mapping.span}
          onChange={(event) => {
            const { value } = event.currentTarget
            onChange({ ...mapping, span: value === 'hour' || value === 'day' ? value : 'moment' })
          }}
        />
        <NativeSelect
          label={t('bill.import.decimal')}
          data={['.', ',']}
          value={mapping.decimal}
          onChange={(event) =>
            onChange({ ...mapping, decimal: event.currentTarget.value === ',' ? ',' : '.' })
          }
        />
      </div>
      {problems.length > 0 && <Problems failed={{ error: '', problems }} />}
      <PreviewTable rows={rows} />
    </>
  )
}
