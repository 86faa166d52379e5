import { useState } from 'react'
import { useTranslation } from '../i18n/use-translation.ts'
import { type CodeForm, codeOf, formsOf } from '../lib/snippets/code.ts'
import { Choice } from './choice.tsx'
import './code-choice.messages.ts'
import classes from './code-choice.module.css'
import { Copyable } from './copyable.tsx'

const NAMES: Readonly<Record<CodeForm, string>> = {
  curl: 'curl',
  python: 'Python',
  node: 'Node.js',
  go: 'Go',
  json: 'JSON',
}

type Props = { request: Parameters<typeof codeOf>[1] }

/** A request as code, in the form that the reader chooses. */
export function CodeChoice({ request }: Props) {
  const { t } = useTranslation()
  const [form, setForm] = useState<CodeForm>('curl')
  return (
    <div className={classes['code']}>
      <Choice
        label={t('code.choice.label')}
        options={formsOf(request.path).map((value) => ({ value, label: NAMES[value] }))}
        value={form}
        onChange={setForm}
      />
      <Copyable block label={NAMES[form]} text={codeOf(form, request)} />
    </div>
  )
}
